"""Outgoing mail."""

import smtplib
from email.message import EmailMessage


class MailError(Exception):
    """The server did not take the message."""


class Mailer:
    """Sends messages through one SMTP server."""

    def __init__(self, host: str, port: int, sender: str) -> None:
        self.host = host
        self.port = port
        self.sender = sender

    def send_welcome(self, address: str, name: str) -> None:
        """Greet somebody who has just signed up."""
        self._send(address, "Welcome", f"Hello {name}, good to have you with us.")

    def send_reset_link(self, address: str, link: str) -> None:
        """Send the link that lets somebody choose a new password."""
        self._send(address, "Your new password", f"Choose it here: {link}")

    def _send(self, address: str, subject: str, text: str) -> None:
        message = EmailMessage()
        message["From"], message["To"], message["Subject"] = self.sender, address, subject
        message.set_content(text)
        try:
            with smtplib.SMTP(self.host, self.port, timeout=10) as server:
                server.send_message(message)
        except OSError as error:
            raise MailError(f"cannot send mail through {self.host}") from error

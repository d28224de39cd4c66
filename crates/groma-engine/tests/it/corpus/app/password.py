"""Passwords are never kept, only what they are hashed to."""

import hashlib
import hmac
import os

ITERATIONS = 600_000


def hash_password(password: str) -> bytes:
    """Hash a password with a fresh salt."""
    salt = os.urandom(16)
    return salt + _derive(password, salt)


def verify_password(password: str, stored: bytes) -> bool:
    """Compare in constant time, so that an attacker learns nothing from how long it took."""
    salt, expected = stored[:16], stored[16:]
    return hmac.compare_digest(_derive(password, salt), expected)


def _derive(password: str, salt: bytes) -> bytes:
    return hashlib.pbkdf2_hmac("sha256", password.encode(), salt, ITERATIONS)

import { randomBytes } from "crypto";
import { Cache } from "./cache";

export interface Session {
  id: string;
  userId: string;
  expiresAt: number;
}

/** Keeps who is logged in, by the cookie the browser sends. */
export class SessionStore {
  constructor(private readonly cache: Cache<Session>, private readonly lifetimeMs: number) {}

  /** Logs a user in and returns the session. */
  create(userId: string): Session {
    const id = randomBytes(16).toString("hex");
    const session = { id, userId, expiresAt: Date.now() + this.lifetimeMs };
    this.cache.set(id, session);
    return session;
  }

  /** The session of a cookie, unless it has expired. */
  find(cookie: string | undefined): Session | undefined {
    const session = cookie ? this.cache.get(cookie) : undefined;
    return session && session.expiresAt > Date.now() ? session : undefined;
  }

  /** Logs a user out everywhere. */
  revokeAll(userId: string): void {
    this.cache.deleteWhere((session) => session.userId === userId);
  }
}

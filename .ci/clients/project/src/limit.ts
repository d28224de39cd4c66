import { now } from "./clock";

/** Limits how many requests a client may send in a second. */
export class RateLimiter {
  private used = 0;

  /** Whether one more request is allowed now. */
  allow(limit: number): boolean {
    this.used += 1;
    return this.used <= limit && now() > 0;
  }
}

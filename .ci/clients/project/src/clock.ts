/** The time in seconds. */
export function now(): number {
  return Date.now() / 1000;
}

/** How long before its end a certificate is renewed: `<n>d`, `<n>m` (30 days) or `<n>y` (365 days). */
import { milliseconds, type Milliseconds } from '@kruise/objects';

const dayMs = 24 * 3600 * 1000;
const unitDays: Readonly<Record<string, number>> = { d: 1, m: 30, y: 365 };

/** 180 days, in milliseconds. */
export const defaultRenewBefore: Milliseconds = milliseconds(180 * dayMs);

/**
 * Parses the value of `CERTS_RENEW_BEFORE`.
 * @returns undefined for an unknown suffix, a bad number or one that is not above 0: the caller logs it and uses 180 days
 * @see spec/manager.md 2.3
 */
export function parseRenewBefore(text: string): Milliseconds | undefined {
  const match = /^(\d{1,6})([dmy])$/.exec(text);
  const days = Number(match?.[1]) * (unitDays[match?.[2] ?? ''] ?? 0);
  return days > 0 ? milliseconds(days * dayMs) : undefined;
}

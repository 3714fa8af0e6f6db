/**
 * Which authorities the API server trusts while one replaces the other. Pure.
 *
 *   first certificate       new
 *   new authority announced new + old      the server still presents the old certificate
 *   new one installed       either is kept where it is found: other replicas may be a little behind
 *   a minute later          new
 */
import type { CaBundles } from './plan-crd-conversion.ts';

const overlapMs = 60_000;

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const joined = (first: string, second: string): string => `${first.trimEnd()}\n${second.trimEnd()}\n`;

/** The authorities as PEM. */
export interface BundleRotation {
  readonly announced?: string;
  /** That of the certificate that the server presents; undefined before the first. */
  readonly serving?: string;
  readonly retiring?: { readonly caCert: string; readonly untilMs: number };
}

/** Returns whether the server presents a certificate of another authority than this one, which has to stay until both are trusted. */
export const isReplacing = ({ serving }: BundleRotation, caCert: string): boolean => serving !== undefined && serving !== caCert;

/** Returns the rotation after an authority was announced. */
export function announced(rotation: BundleRotation, caCert: string, nowMs: number): BundleRotation {
  const { serving } = rotation;
  return serving === undefined || serving === caCert
    ? { ...rotation, announced: caCert }
    : { ...rotation, announced: caCert, retiring: { caCert: serving, untilMs: nowMs + overlapMs } };
}

/** Returns the rotation after the server presents a certificate of this authority. */
export const installed = (rotation: BundleRotation, caCert: string): BundleRotation => ({ ...rotation, serving: caCert });

/** Returns what the API server must trust. */
export function bundlesOf({ announced: wanted, serving, retiring }: BundleRotation, nowMs: number): CaBundles {
  const caBundle = base64(wanted ?? '');
  if (wanted === undefined || retiring === undefined) return { caBundle };
  // What the server presents stays trusted, however long the replacement takes.
  if (serving === wanted && retiring.untilMs <= nowMs) return { caBundle };
  const both = base64(joined(wanted, retiring.caCert));
  return serving === wanted ? { caBundle, toleratedBundle: both } : { caBundle: both };
}

/** Returns the announced authority alone, in base64. */
export const announcedBundle = ({ announced: wanted = '' }: BundleRotation): string => base64(wanted);

/** Returns when the old authority must be removed, in milliseconds since the epoch; undefined when there is none. */
export const retiresAtMs = ({ retiring }: BundleRotation, nowMs: number): number | undefined =>
  retiring !== undefined && retiring.untilMs > nowMs ? retiring.untilMs : undefined;

/** Refusals for tests of plans. */
import { instant } from '@kruise/objects';
import { epoch } from '@kruise/testing';
import type { RefusedParts } from './refusals.ts';

/** The API server has refused writes for these parts, in this order. */
export const refusedOn = (...parts: readonly string[]): RefusedParts => ({
  since: (part) => (parts.includes(part) ? instant(epoch + parts.indexOf(part)) : undefined),
  size: parts.length,
});

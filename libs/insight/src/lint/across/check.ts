/** What a check across objects is. */
import type { Files } from '../objects/files.ts';
import type { Linted } from '../objects/linted.ts';
import type { Finding } from '../findings/finding.ts';

/** Finds faults of one object. `object` of the linted object is in v1beta1 and has its defaults. */
export type AcrossCheck = (linted: Linted, files: Files) => readonly Finding[];

/** Checks by `group/Kind`. */
export type ChecksByKind = Readonly<Record<string, readonly AcrossCheck[]>>;

/** Defaults that the kinds for pulling images share (spec/image-pulling.md 4). */
import { changeMember, type JsonObject } from '@kruise/objects';
import { fillAbsent, fillEmpty } from '../members/fill.ts';

/** How long and how often a node tries by default: seconds for each attempt, and attempts after the first. */
const defaultPullPolicy: JsonObject = { timeoutSeconds: 600, backoffLimit: 3 };

/** Fills in `pullPolicy` of a spec or of a tag. */
export const withPullPolicy = (members: JsonObject): JsonObject =>
  changeMember(members, 'pullPolicy', (policy) => fillAbsent(policy, defaultPullPolicy));

/** Fills in the shared fields of ImagePullJob and ImageListPullJob; a job without a completion policy gets one. */
export const withPullJobDefaults = (spec: JsonObject): JsonObject =>
  withPullPolicy(changeMember(spec, 'completionPolicy', (policy) => fillEmpty(policy, { type: 'Always' })));

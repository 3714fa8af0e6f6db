/** Dry-run creations of one small object of each kind, in the oldest version that is served. */
import { allKinds } from '@kruise/api';
import { isFailure, type CallOptions, type Client } from '@kruise/kube';
import { apiVersionOf } from '@kruise/objects';
import { serverMessage } from '../../failure.ts';
import { sampleName, sampleSpecs } from '../../check/samples.ts';
import type { SampleAnswer } from '../../check/facts.ts';
import type { ServedType } from '../../objects/served-types.ts';
import type { Untyped } from '../../objects/untyped.ts';

/** A namespace that every cluster has. */
const namespace = 'default';

/** The API server waits for webhooks longer than for itself. */
const sampleMs = 3_000;

/** `v1alpha1` before `v1beta1` before `v1`. */
const age = (version: string): string => (/^v\d+$/.test(version) ? `z${version}` : version);

/** The oldest version of a kind that is served. */
const oldestOf = (types: readonly ServedType[], group: string, plural: string): ServedType | undefined =>
  types.filter((type) => type.group === group && type.plural === plural).toSorted((a, b) => (age(a.version) < age(b.version) ? -1 : 1))[0];

async function answerOf(client: Client, type: ServedType, options: CallOptions): Promise<SampleAnswer> {
  const spec = Object.hasOwn(sampleSpecs, type.plural) ? sampleSpecs[type.plural] : undefined;
  const metadata = { name: sampleName, labels: { app: sampleName }, ...(type.namespaced ? { namespace } : {}) };
  const object = { apiVersion: apiVersionOf(type), kind: type.kind, metadata, spec } as unknown as Untyped;
  try {
    return { kind: 'Accepted', object: (await client.create(type, object, { ...options, timeoutMs: sampleMs, dryRun: true })) as Untyped };
  } catch (error) {
    if (isFailure(error, 'Unreachable')) return { kind: 'TimedOut' };
    if (isFailure(error, 'Aborted')) throw error;
    // Nothing is refused: an object of this name exists.
    if (isFailure(error, 'AlreadyExists')) return { kind: 'Accepted', object };
    if (!(error instanceof Error)) throw error;
    return { kind: 'Refused', reason: 'reason' in error ? String(error.reason) : '', message: serverMessage(error) };
  }
}

/** By plural; a kind that is not served has no answer. */
export async function readSamples(
  client: Client,
  types: readonly ServedType[],
  options: CallOptions,
): Promise<ReadonlyMap<string, SampleAnswer>> {
  const asked = allKinds.flatMap(({ group, plural }) => oldestOf(types, group, plural) ?? []);
  const answers = await Promise.all(asked.map(async (type) => [type.plural, await answerOf(client, type, options)] as const));
  return new Map(answers);
}

/**
 * What tests compare the project with: `testdata/` (its README describes its origin) and the specification in `docs/spec/`. A missing file is an
 * error that names it, and so is an empty list, so that no test compares nothing with nothing.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ControllerRevision, Pod } from '@kruise/objects';
import type { Connection, NetworkPolicy } from '../network-policy/network-policy.ts';

const root = join(import.meta.dirname, '../../../..');

/** When objects were recorded: all at rest, 3 s after changes, and after these and one more. */
export const recordedStages = ['1-created', '2-updating', '3-updated'] as const;
/** A stage of the recorded installation. */
export type RecordedStage = (typeof recordedStages)[number];

const readJson = (path: string): unknown => JSON.parse(readFileSync(join(root, 'testdata', path), 'utf8'));

/**
 * Returns objects as the original left them on a real cluster.
 *
 * @param file without its suffix, such as `pods` or `clonesets.v1beta1`
 */
export function recordedObjects<T>(stage: RecordedStage, file: string): readonly T[] {
  const list = readJson(`recorded/${stage}/${file}.json`) as readonly T[];
  if (list.length === 0) throw new Error(`testdata/recorded/${stage}/${file}.json holds no object`);
  return list;
}

/** Returns those of all stages, one after the other. */
export const allRecordedObjects = <T>(file: string): readonly T[] => recordedStages.flatMap((stage) => recordedObjects<T>(stage, file));

/** Returns a recorded Pod by its name. */
export const recordedPod = (stage: RecordedStage, name: string): Pod => named(recordedObjects<Pod>(stage, 'pods'), name);

/** Returns the last state of a recorded ControllerRevision by its name. */
export const recordedRevision = (name: string): ControllerRevision =>
  named(recordedObjects<ControllerRevision>('3-updated', 'controllerrevisions'), name);

function named<T extends Pod | ControllerRevision>(list: readonly T[], name: string): T {
  const found = list.find(({ metadata }) => metadata.name === name);
  if (found === undefined) throw new Error(`${name} is not among the recorded objects`);
  return found;
}

/** Returns what the original installs: roles and bindings, or webhooks. */
export const recordedInstallation = (part: 'rbac' | 'webhooks'): unknown => readJson(`${part}.json`);

/** Returns the CRDs that the original installs, by their names. */
export function recordedCrds(): ReadonlyMap<string, unknown> {
  const files = readdirSync(join(root, 'testdata/crds')).filter((file) => file.endsWith('.json'));
  return new Map(files.map((file) => [file.slice(0, -'.json'.length), readJson(`crds/${file}`)]));
}

/** A Pod template that differs from a valid one by one change, and which programs accept it. */
export interface TemplateVerdict {
  readonly name: string;
  /** Path of the change in the valid template. */
  readonly at: readonly (string | number)[];
  /** Absent: the member is removed. */
  readonly value?: unknown;
  /** The verdict of the original's workload webhooks, whose rules are those of Kubernetes 1.32 for every member. */
  readonly original: 'Allowed' | 'Refused';
  /** The verdict of an API server of Kubernetes 1.34 with default gates, which first drops members of disabled features. */
  readonly server: 'Allowed' | 'Refused';
}

/** Returns the verdicts of the original and Kubernetes on some hundred templates. */
export function templateVerdicts(): readonly TemplateVerdict[] {
  const list = readJson('verdicts/pod-templates.json') as readonly TemplateVerdict[];
  if (list.length === 0) throw new Error('testdata/verdicts/pod-templates.json holds no template');
  return list;
}

/** What an engine decides about a connection under policies. */
interface NetworkVerdict extends Connection {
  readonly policies: readonly NetworkPolicy[];
  readonly isAllowed: boolean;
}

/** Returns the verdicts of an engine for NetworkPolicies, the file says which. */
export function networkVerdicts(): readonly NetworkVerdict[] {
  const { cases } = readJson('verdicts/network-policies.json') as { readonly cases: readonly NetworkVerdict[] };
  if (cases.length === 0) throw new Error('testdata/verdicts/network-policies.json holds no case');
  return cases;
}

type EncodingsPart =
  'quantities' | 'pod-templates' | 'claim-templates' | 'pod-template-members' | 'strategic-merges' | 'regular-expressions';

/** Returns what Go makes of quantities, Pod templates, claim templates, patches and regular expressions. Each file says which package wrote it. */
export function recordedEncodings<T>(part: EncodingsPart): readonly T[] {
  const { cases } = readJson(`encodings/${part}.json`) as { readonly cases: readonly T[] };
  if (cases.length === 0) throw new Error(`testdata/encodings/${part}.json holds no case`);
  return cases;
}

/** Returns the text of the specification, all files. */
export function specificationText(): string {
  const folder = join(root, 'docs/spec');
  return readdirSync(folder)
    .filter((file) => file !== 'README.md')
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');
}

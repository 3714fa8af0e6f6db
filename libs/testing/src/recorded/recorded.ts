/**
 * What tests compare the project with: `testdata/` (its README tells where it comes from) and the specification in `docs/spec/`.
 * A file that is missing fails with its name, and so does a list that is empty: nothing is compared with nothing.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ControllerRevision, Pod } from '@kruise/objects';

const root = join(import.meta.dirname, '../../../..');

/** When objects were recorded: all at rest, 3 s after changes, and after these and one more. */
export const recordedStages = ['1-created', '2-updating', '3-updated'] as const;
/** A moment of the recorded installation. */
export type RecordedStage = (typeof recordedStages)[number];

const readJson = (path: string): unknown => JSON.parse(readFileSync(join(root, 'testdata', path), 'utf8'));

/**
 * Objects as the original left them on a real cluster.
 *
 * @param file without its suffix, such as `pods` or `clonesets.v1beta1`
 */
export function recordedObjects<T>(stage: RecordedStage, file: string): readonly T[] {
  const list = readJson(`recorded/${stage}/${file}.json`) as readonly T[];
  if (list.length === 0) throw new Error(`testdata/recorded/${stage}/${file}.json holds no object`);
  return list;
}

/** Those of all stages, one after the other. */
export const allRecordedObjects = <T>(file: string): readonly T[] => recordedStages.flatMap((stage) => recordedObjects<T>(stage, file));

/** A recorded Pod by its name. */
export const recordedPod = (stage: RecordedStage, name: string): Pod => named(recordedObjects<Pod>(stage, 'pods'), name);

/** A recorded ControllerRevision by its name, as it was last. */
export const recordedRevision = (name: string): ControllerRevision =>
  named(recordedObjects<ControllerRevision>('3-updated', 'controllerrevisions'), name);

function named<T extends Pod | ControllerRevision>(list: readonly T[], name: string): T {
  const found = list.find(({ metadata }) => metadata.name === name);
  if (found === undefined) throw new Error(`${name} is not among the recorded objects`);
  return found;
}

/** What the original installs: roles and bindings, or webhooks. */
export const recordedInstallation = (part: 'rbac' | 'webhooks'): unknown => readJson(`${part}.json`);

/** The CRDs that the original installs, by their names. */
export function recordedCrds(): ReadonlyMap<string, unknown> {
  const files = readdirSync(join(root, 'testdata/crds')).filter((file) => file.endsWith('.json'));
  return new Map(files.map((file) => [file.slice(0, -'.json'.length), readJson(`crds/${file}`)]));
}

/** A Pod template, one change away from a valid one, and who takes it. */
export interface TemplateVerdict {
  readonly name: string;
  /** Where the valid template is changed. */
  readonly at: readonly (string | number)[];
  /** Absent: the member is removed. */
  readonly value?: unknown;
  /** Of the original's workload webhooks, whose rules are those of Kubernetes 1.32 with every member looked at. */
  readonly original: 'Allowed' | 'Refused';
  /** Of an API server of Kubernetes 1.34 with default gates, which drops members of features that are off before it looks. */
  readonly server: 'Allowed' | 'Refused';
}

/** What the original and Kubernetes say of some hundred templates. */
export function templateVerdicts(): readonly TemplateVerdict[] {
  const list = readJson('verdicts/pod-templates.json') as readonly TemplateVerdict[];
  if (list.length === 0) throw new Error('testdata/verdicts/pod-templates.json holds no template');
  return list;
}

type EncodingsPart = 'quantities' | 'pod-templates' | 'claim-templates' | 'pod-template-members' | 'strategic-merges';

/** What Go's encoder of Kubernetes 1.32 makes of quantities, of pod templates and of claim templates. */
export function recordedEncodings<T>(part: EncodingsPart): readonly T[] {
  const { cases } = readJson(`encodings/${part}.json`) as { readonly cases: readonly T[] };
  if (cases.length === 0) throw new Error(`testdata/encodings/${part}.json holds no case`);
  return cases;
}

/** The text of the specification, all files. */
export function specificationText(): string {
  const folder = join(root, 'docs/spec');
  return readdirSync(folder)
    .filter((file) => file !== 'README.md')
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');
}

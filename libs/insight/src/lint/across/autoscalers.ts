/** Autoscalers whose target they cannot find or scale. @see spec/operations.md 3 */
import { allKinds, type KindDeclaration } from '@kruise/api';
import { groupOf, memberAt, memoized, textAt } from '@kruise/objects';
import type { Files } from '../objects/files.ts';
import { declarationOf, type Linted } from '../objects/linted.ts';
import { finding, type Finding } from '../findings/finding.ts';
import type { AcrossCheck, ChecksByKind } from './check.ts';

interface Reference {
  readonly path: string;
  readonly apiVersion: string;
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** What a reference means that omits a member, by the group of the autoscaler. */
const absent: Readonly<Record<string, Pick<Reference, 'apiVersion' | 'kind'>>> = {
  'keda.sh': { apiVersion: 'apps/v1', kind: 'Deployment' },
};

function referenceOf({ written, group: own }: Linted, member: string): Reference {
  const [apiVersion = '', kind = '', name = ''] = ['apiVersion', 'kind', 'name'].map((one) => textAt(written, 'spec', member, one));
  const meant = { apiVersion: apiVersion || (absent[own]?.apiVersion ?? ''), kind: kind || (absent[own]?.kind ?? '') };
  return { path: `spec.${member}`, ...meant, group: groupOf(meant.apiVersion), name };
}

const scaledVersions = ({ versions }: KindDeclaration): readonly string[] =>
  versions.filter(({ scale }) => scale !== undefined).map(({ name }) => name);

/** Of a target in a group of ours. */
function scaleFaults({ path, apiVersion, group, kind }: Reference, declaration: KindDeclaration | undefined): readonly Finding[] {
  if (declaration === undefined) return [finding('KR102', `${path}.kind`, `${group} has no kind ${kind}`)];
  const scaled = scaledVersions(declaration).map((version) => `${group}/${version}`);
  if (scaled.length === 0) return [finding('KR103', `${path}.kind`, `${kind} of ${group} has no scale subresource`)];
  return scaled.includes(apiVersion)
    ? []
    : [finding('KR102', `${path}.apiVersion`, `${kind} is not served as ${apiVersion}`, `Use ${scaled.at(-1) ?? ''}.`)];
}

/** Kinds of Kubernetes with the names of ours. */
const builtIn: ReadonlySet<string> = new Set(['DaemonSet', 'StatefulSet']);

/** Whether a group may have a kind with the name of one of ours: another project, or Kubernetes itself, whose groups of workloads have no dot. */
const mayHave = (group: string, kind: string): boolean =>
  group.includes('.') || (builtIn.has(kind) && (group === 'apps' || group === 'extensions'));

/** Of a target in another group, where a kind of ours is meant. */
function groupFaults({ path, apiVersion, group, kind, name }: Reference, { namespace }: Linted, files: Files): readonly Finding[] {
  const meant = allKinds.find((one) => one.kind === kind);
  if (meant === undefined) return [];
  const isThere = files.find(group, kind, namespace, name) !== undefined;
  const isOursThere = files.find(meant.group, kind, namespace, name) !== undefined;
  if (mayHave(group, kind) && (isThere || !isOursThere)) return [];
  const correct = `${meant.group}/${meant.versions.at(-1)?.name ?? ''}`;
  const where = apiVersion === '' ? 'the core group' : apiVersion;
  return [finding('KR102', `${path}.apiVersion`, `${where} has no ${kind} ${name}`, `Use ${correct}.`)];
}

const scaleTarget: AcrossCheck = (linted, files) => {
  const reference = referenceOf(linted, 'scaleTargetRef');
  if (reference.kind === '') return [];
  const ours = allKinds.some(({ group }) => group === reference.group);
  return ours ? scaleFaults(reference, declarationOf(reference.group, reference.kind)) : groupFaults(reference, linted, files);
};

const verticalTarget: AcrossCheck = (linted) => {
  const { path, group, kind, name } = referenceOf(linted, 'targetRef');
  return declarationOf(group, kind) !== undefined && builtIn.has(kind)
    ? [finding('KR101', path, `the autoscaler looks for ${kind} ${name} in group apps, not in ${group}`)]
    : [];
};

const scalers: readonly (readonly [group: string, kind: string])[] = [
  ['autoscaling', 'HorizontalPodAutoscaler'],
  ['keda.sh', 'ScaledObject'],
];

const targetKey = ({ group, kind, name }: Pick<Linted, 'group' | 'kind' | 'name'>): string => `${group}/${kind}/${name}`;

/** Returns the autoscalers of a namespace by their targets, the first one of each. */
const scalersIn = memoized((files: Files) => {
  const byNamespace = new Map<string, ReadonlyMap<string, Linted>>();
  return (namespace: string): ReadonlyMap<string, Linted> => {
    const known = byNamespace.get(namespace);
    if (known !== undefined) return known;
    const all = scalers.flatMap(([group, kind]) => files.of(group, kind, namespace));
    const found = new Map(all.toReversed().map((one) => [targetKey(referenceOf(one, 'scaleTargetRef')), one]));
    byNamespace.set(namespace, found);
    return found;
  };
});

/** Returns the autoscaler of the files that sets the replicas of a workload: the files do not say how many Pods it has. */
export const scalerOf = (workload: Linted, files: Files): Linted | undefined =>
  scalersIn(files)(workload.namespace).get(targetKey(workload));

/** `spec.replicas` of a workload that an autoscaler of the files scales. */
const scaledReplicas: AcrossCheck = (linted, files) => {
  if (memberAt(linted.written, 'spec', 'replicas') === undefined) return [];
  const scaler = scalerOf(linted, files);
  return scaler === undefined ? [] : [finding('KR205', 'spec.replicas', `${scaler.kind} ${scaler.name} sets the replicas`)];
};

export const autoscalerChecks: ChecksByKind = {
  ...Object.fromEntries(scalers.map(([group, kind]) => [`${group}/${kind}`, [scaleTarget]])),
  'autoscaling.k8s.io/VerticalPodAutoscaler': [verticalTarget],
  'apps.kruise.io/CloneSet': [scaledReplicas],
  'apps.kruise.io/StatefulSet': [scaledReplicas],
  'apps.kruise.io/UnitedDeployment': [scaledReplicas],
};

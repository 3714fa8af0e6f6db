/** Brings a new Pod back to where the Pod of its name was. Pure. @see spec/persistentpodstate.md 4.1 */
import { persistentPodStateAnnotations, type PersistentPodState, type PodState } from '@kruise/api';
import { canonicalJson, deepEqual, ownMember, type Pod } from '@kruise/objects';

type Affinity = NonNullable<Pod['spec']['affinity']>;
type NodeAffinity = NonNullable<Affinity['nodeAffinity']>;
type Term = NonNullable<NodeAffinity['preferredDuringSchedulingIgnoredDuringExecution']>[number];
type Labels = Readonly<Record<string, string>>;

/** The API server refuses a Pod with any other. */
const weights = { least: 1, most: 100 };

function remembered(labels: Labels, keys: readonly string[]): readonly (readonly [string, string])[] {
  const found = keys.map((key) => [key, ownMember(labels, key)] as const);
  return found.filter((member): member is readonly [string, string] => typeof member[1] === 'string');
}

/** One term for each that has a key which is remembered, in their order. */
function termsOf({ preferredPersistentTopology = [] }: PersistentPodState['spec'], labels: Labels): readonly Term[] {
  return preferredPersistentTopology
    .filter(({ weight }) => weight >= weights.least && weight <= weights.most)
    .map(({ weight, preference }) => ({
      weight,
      preference: {
        matchExpressions: remembered(labels, preference.keys).map(([key, value]) => ({ key, operator: 'In' as const, values: [value] })),
      },
    }))
    .filter(({ preference }) => preference.matchExpressions.length > 0);
}

function withTerms(affinity: Affinity | undefined, terms: readonly Term[]): Affinity {
  const { nodeAffinity = {} } = affinity ?? {};
  const held = nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const texts = new Set(held.map(canonicalJson));
  const more = terms.filter((term) => !texts.has(canonicalJson(term)));
  return { ...affinity, nodeAffinity: { ...nodeAffinity, preferredDuringSchedulingIgnoredDuringExecution: [...held, ...more] } };
}

/**
 * The Pod with what is required and preferred of its node; the very Pod that was given when nothing is remembered of it, and when it was led
 * through here before.
 *
 * @remarks Annotations that are remembered are not put back.
 */
export function withRememberedPlace(pod: Pod, state: PersistentPodState): Pod {
  const { metadata, spec } = pod;
  const entry = ownMember(state.status?.podStates ?? {}, metadata.name) as PodState | undefined;
  const labels = entry?.nodeTopologyLabels ?? {};
  const required = Object.fromEntries(remembered(labels, state.spec.requiredPersistentTopology?.keys ?? []));
  const terms = termsOf(state.spec, labels);
  const isBound = Object.keys(required).length > 0;
  if (!isBound && terms.length === 0) return pod;
  const next: Pod = {
    ...pod,
    metadata: { ...metadata, annotations: { ...metadata.annotations, [persistentPodStateAnnotations.injected]: state.metadata.name } },
    spec: {
      ...spec,
      ...(isBound ? { nodeSelector: { ...spec.nodeSelector, ...required } } : {}),
      ...(terms.length === 0 ? {} : { affinity: withTerms(spec.affinity, terms) }),
    },
  };
  return deepEqual(next, pod) ? pod : next;
}

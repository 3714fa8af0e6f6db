/** What a ControllerRevision of a SidecarSet holds, and back: the five fields that make up a version. */
import type { SidecarSetSpec } from '@kruise/api';
import { canonicalJson, isJsonObject, type ControllerRevision, type JsonObject } from '@kruise/objects';
import { normalizeStruct, withDoubles, withInt64, type QuantityForm } from '@kruise/pods';

/** The members of a spec that a version consists of. */
export type VersionedSpec = Pick<SidecarSetSpec, 'containers' | 'imagePullSecrets' | 'initContainers' | 'patchPodMetadata' | 'volumes'>;

const fields = ['containers', 'imagePullSecrets', 'initContainers', 'patchPodMetadata', 'volumes'] as const;

const pick = (spec: JsonObject, isPicked: (list: readonly unknown[]) => boolean): JsonObject =>
  Object.fromEntries(
    fields.flatMap((name) => {
      const value = spec[name];
      return Array.isArray(value) && isPicked(value) ? [[name, value]] : [];
    }),
  );

/** `null` in all five for what is absent or empty. */
const dataOf = (spec: JsonObject, form: QuantityForm): unknown => ({
  spec: {
    $patch: 'replace',
    ...(withDoubles(
      normalizeStruct(
        pick(spec, (list) => list.length > 0),
        'SidecarSetVersion',
        form,
      ),
    ) as JsonObject),
  },
});

/**
 * The bytes of a version: what its revision's name is made from.
 *
 * @param spec with its defaults
 * @see spec/sidecarset.md 5.1
 */
export const versionBytes = (spec: VersionedSpec): string => canonicalJson(dataOf(spec, 'Original'));

/** The bytes by which revisions are compared, independent of the writer and the notation of quantities. Data without a spec is returned unchanged. */
export function storedVersionBytes(revision: Pick<ControllerRevision, 'data'>): string {
  const spec = isJsonObject(revision.data) ? revision.data['spec'] : undefined;
  return isJsonObject(spec) ? canonicalJson(dataOf(spec, 'Canonical')) : canonicalJson(revision.data ?? null);
}

/** The five fields as a revision holds them; those that are absent are omitted. Undefined when it holds no spec. */
export function versionedSpecOf(revision: Pick<ControllerRevision, 'data'>): VersionedSpec | undefined {
  const spec = isJsonObject(revision.data) ? revision.data['spec'] : undefined;
  if (!isJsonObject(spec)) return undefined;
  return withInt64(pick(spec, () => true)) as VersionedSpec;
}

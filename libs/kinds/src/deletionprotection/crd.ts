/** How the objects of a CRD are listed. Pure. @see spec/deletion-protection.md 4, 6 */
import { isJsonObject, memberAt, type JsonObject, type KubeObject, type ResourceType } from '@kruise/objects';

/** The resource to list, or why it is unknown. */
export type CrdResource = { readonly kind: 'Served'; readonly type: ResourceType } | { readonly kind: 'NotServed'; readonly gvk: string };

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** In v1 there is a list of versions; v1beta1 may have one alone. */
function versionsOf(crd: JsonObject): readonly JsonObject[] {
  const list = memberAt(crd, 'spec', 'versions');
  const versions = Array.isArray(list) ? list.filter(isJsonObject) : [];
  const single = text(memberAt(crd, 'spec', 'version'));
  return versions.length > 0 || single === '' ? versions : [{ name: single, served: true, storage: true }];
}

/** Its storage version, else any other that is served; objects are the same in all of them. */
export function resourceOfCrd(crd: JsonObject): CrdResource {
  const group = text(memberAt(crd, 'spec', 'group'));
  const kind = text(memberAt(crd, 'spec', 'names', 'kind'));
  const versions = versionsOf(crd);
  const stored = versions.find(({ storage }) => storage === true);
  const served = [...(stored === undefined ? [] : [stored]), ...versions].find((version) => version['served'] === true);
  const gvk = `${group}/${text(stored?.['name'])}, Kind=${kind}`;
  if (served === undefined) return { kind: 'NotServed', gvk };
  const type: ResourceType<KubeObject> = {
    group,
    version: text(served['name']),
    kind,
    plural: text(memberAt(crd, 'spec', 'names', 'plural')),
    namespaced: memberAt(crd, 'spec', 'scope') !== 'Cluster',
  };
  return { kind: 'Served', type };
}

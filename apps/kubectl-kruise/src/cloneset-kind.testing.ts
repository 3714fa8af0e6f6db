/** CloneSets on a control plane without a manager. */
import { allKinds, customResourceDefinition } from '@kruise/api';
import { eventually, succeeds, type ControlPlane } from '@kruise/testing';

/** The CloneSets of the default namespace. */
export const cloneSetsPath = '/apis/apps.kruise.io/v1beta1/namespaces/default/clonesets';

/** Installs CloneSets in both versions, without conversion, and waits until the API server serves them. */
export async function installCloneSets({ api }: ControlPlane): Promise<void> {
  const kind = allKinds.find((one) => one.kind === 'CloneSet');
  if (kind === undefined) throw new Error('no CloneSet');
  const crd = customResourceDefinition(kind);
  const body = { ...crd, spec: { ...crd.spec, conversion: { strategy: 'None' } } };
  await api.request('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { method: 'POST', body });
  await eventually(() => succeeds(api.request(cloneSetsPath)));
}

/** The handlers of kinds that are not ours: each asks the one rule, with what its kind may still have. @see spec/deletion-protection.md 2 */
import type { AdmissionHandler } from '@kruise/admission';
import { deletionProtectionDeclaration, servedWebhooks, type FeatureWebhook } from '@kruise/api';
import { decideDeletion, replicasOf, type Cascade } from '../../module/decide-deletion.ts';
import type { HandlerDependencies } from '../../module/handler-dependencies.ts';
import { ofCrd, ofNamespace } from './observe-possessions.ts';

/** By resource; what is not here, `Cascading` does not protect. */
const cascadesOf = ({ client, gates }: HandlerDependencies): Readonly<Record<string, Cascade>> => ({
  deployments: replicasOf,
  replicasets: replicasOf,
  statefulsets: replicasOf,
  namespaces: ofNamespace(client),
  customresourcedefinitions: ofCrd(client, gates),
});

export function deletionProtectionAdmission(dependencies: HandlerDependencies): readonly AdmissionHandler[] {
  const cascades = cascadesOf(dependencies);
  const handler = ({ path, resource, versions }: FeatureWebhook): AdmissionHandler => ({
    path,
    decide: (request, signal) => {
      const { version } = request.resource;
      if (!versions.includes(version)) return { kind: 'Failed', code: 400, message: `unsupported version: ${version}` };
      return decideDeletion(request, dependencies, cascades[resource], signal);
    },
  });
  return servedWebhooks(deletionProtectionDeclaration, dependencies.gates).map(handler);
}

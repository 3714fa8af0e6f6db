/** ValidatingAdmissionPolicies: how a cluster's administrator refuses writes of single objects, without a webhook. */
import { type Client, isFailure } from '@kruise/kube';
import { pods, type ObjectKey, type ResourceType } from '@kruise/objects';
import type { ControlPlane } from '@kruise/testing';

const group = '/apis/admissionregistration.k8s.io/v1';
const kinds = ['validatingadmissionpolicybindings', 'validatingadmissionpolicies'] as const;

export interface WritePolicy {
  readonly name: string;
  /** What is refused; Pods when absent. */
  readonly type?: ResourceType;
  /** Of no meaning for objects without a namespace. */
  readonly namespace: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  /** In CEL, about `object` (`oldObject` at a deletion): which objects are refused. */
  readonly refuses: string;
}

/** Refuses writes until it is disposed of. Subresources, such as the status that kubelets write, pass. */
export class RefusedWrites implements AsyncDisposable {
  readonly #plane: ControlPlane;
  readonly #name: string;

  private constructor(plane: ControlPlane, name: string) {
    this.#plane = plane;
    this.#name = name;
  }

  /**
   * Resolves when the API server enforces the policy: it learns of a policy some time after it was created.
   *
   * @param isRefused sends a dry run of a write that the policy refuses
   */
  static async begin(plane: ControlPlane, policy: WritePolicy, isRefused: () => Promise<boolean>): Promise<RefusedWrites> {
    const { name, type = pods, namespace, operation, refuses } = policy;
    const metadata = { name };
    const { group: apiGroup, version, plural } = type;
    const resourceRules = [{ apiGroups: [apiGroup], apiVersions: [version], operations: [operation], resources: [plural] }];
    const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': namespace } };
    const spec = {
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules, namespaceSelector },
      validations: [{ expression: `!(${refuses})`, message: 'refused by the administrator' }],
    };
    const binding = { policyName: name, validationActions: ['Deny'] };
    await plane.api.request(`${group}/${kinds[1]}`, { method: 'POST', body: { metadata, spec } });
    await plane.api.request(`${group}/${kinds[0]}`, { method: 'POST', body: { metadata, spec: binding } });
    const refused = new RefusedWrites(plane, name);
    while (!(await isRefused()));
    return refused;
  }

  /** Refuses every update, or the deletion, of one Pod. */
  static ofPod(plane: ControlPlane, client: Client, key: ObjectKey, operation: 'UPDATE' | 'DELETE'): Promise<RefusedWrites> {
    const object = operation === 'DELETE' ? 'oldObject' : 'object';
    const refuses = `${object}.metadata.name == '${key.name}'`;
    const dryRun = (): Promise<unknown> =>
      operation === 'DELETE'
        ? client.delete(pods, key, { dryRun: true })
        : client.patch(pods, key, { metadata: { annotations: { tried: 'yes' } } }, { type: 'merge', dryRun: true });
    const policy = { name: key.namespace, namespace: key.namespace, operation, refuses };
    return RefusedWrites.begin(plane, policy, () => isRefusedWrite(dryRun()));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const kind of kinds) await this.#plane.api.request(`${group}/${kind}/${this.#name}`, { method: 'DELETE' });
  }
}

/** Whether the API server refuses the write; other errors are thrown. */
export async function isRefusedWrite(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return false;
  } catch (error) {
    if (isFailure(error, 'Forbidden', 'Invalid')) return true;
    throw error;
  }
}

/** The replicas of the manager, and which of them leads. */
import { isPodReady, leases, pods, type Pod } from '@kruise/objects';
import type { Client } from '@kruise/kube';

export const managerNamespace = 'kruise-system';

export class Managers {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Replicas that are not being deleted. */
  async replicas(): Promise<readonly Pod[]> {
    const { items } = await this.#client.list(pods, { namespace: managerNamespace, labelSelector: 'control-plane=controller-manager' });
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  /** Whether both are ready, and there is no third one. */
  async bothReady(): Promise<boolean> {
    const all = await this.replicas();
    return all.length === 2 && all.every(isPodReady);
  }

  /** The name of a Pod, `_`, and an id of its process; empty while no process holds the lease. */
  async leaseHolder(): Promise<string> {
    const { spec } = await this.#client.get(leases, { namespace: managerNamespace, name: 'kruise-manager' });
    return spec?.holderIdentity ?? '';
  }

  /** The replica that holds the lease, if it is not being deleted. */
  async leader(): Promise<Pod | undefined> {
    const [name] = (await this.leaseHolder()).split('_');
    return (await this.replicas()).find(({ metadata }) => metadata.name === name);
  }
}

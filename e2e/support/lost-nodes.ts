/** Nodes of the local cluster that lose their power, as far as the rest of the cluster notices it. */
import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import type { Client } from '@kruise/kube';
import { pods, type Pod } from '@kruise/objects';
import { ComponentSet } from '@kruise/testing';
import { processesOf } from './container-processes.ts';
import { Managers, managerNamespace } from './managers.ts';
import { given } from './programs.ts';

/** Drops every packet without an answer, as a router does for an address behind which no machine is. */
const silence = `table inet lost {
  chain in { type filter hook input priority 0; policy drop; }
  chain out { type filter hook output priority 0; policy drop; }
}`;

/** Cuts the network of a Pod until its sandbox ends; connections that are open stay open. */
function silenceNetworkOf(pod: Pod): void {
  const [id] = processesOf(pod);
  if (id === undefined) throw new Error(`Pod ${pod.metadata.name} has no process on this machine`);
  execFileSync('nsenter', [`--net=/proc/${id}/ns/net`, 'nft', '-f', '-'], { input: silence });
}

export class LostNodes {
  readonly #client: Client;
  readonly #managers: Managers;
  readonly #components = new ComponentSet(dirname(given('KRUISE_E2E_KUBECONFIG')));
  readonly #lost = new Set<string>();
  readonly #silenced = new Set<string>();

  constructor(client: Client) {
    this.#client = client;
    this.#managers = new Managers(client);
  }

  /** From now on, the kubelets of these nodes report nothing, and the managers on them neither receive nor send. */
  async lose(...names: readonly string[]): Promise<void> {
    const managers = (await this.#managers.replicas()).filter(({ spec }) => names.includes(spec.nodeName ?? ''));
    for (const name of names) this.#lost.add(name);
    for (const pod of managers) {
      silenceNetworkOf(pod);
      this.#silenced.add(pod.metadata.name);
    }
    await Promise.all(names.map((name) => this.#components.kill(`kubelet-${name}`)));
  }

  /** Starts the kubelets again, and replaces the managers whose network was cut. */
  async restore(): Promise<void> {
    for (const name of this.#lost) await this.#components.restart(`kubelet-${name}`);
    this.#lost.clear();
    const left = (await this.#managers.replicas()).map(({ metadata }) => metadata.name).filter((name) => this.#silenced.has(name));
    for (const name of left) await this.#client.delete(pods, { namespace: managerNamespace, name });
    this.#silenced.clear();
  }
}

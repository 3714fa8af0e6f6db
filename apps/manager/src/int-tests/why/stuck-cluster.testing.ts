/** The objects of one namespace of a control plane. */
import { eventually, type ControlPlane } from '@kruise/testing';
import { cloneSet, type Sign } from './stuck-state.testing.ts';

interface Named {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Kinds without a namespace. */
const clusterScoped = /^(?:Namespace|.*WebhookConfiguration|CustomResourceDefinition|ClusterRole|ClusterRoleBinding)$/;

const plural = (kind: string): string => `${kind.toLowerCase().replace(/y$/, 'ie')}s`;
const groupPath = (apiVersion: string): string => (apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`);

export class StuckCluster {
  readonly plane: ControlPlane;
  readonly namespace: string;

  constructor(plane: ControlPlane, namespace: string) {
    this.plane = plane;
    this.namespace = namespace;
  }

  /** Creates an object. Tries again while the API server has not learned yet where the manager answers. */
  async create(object: object): Promise<void> {
    const { apiVersion, kind } = object as Named;
    const scope = clusterScoped.test(kind) ? '' : `/namespaces/${this.namespace}`;
    const path = `${groupPath(apiVersion)}${scope}/${plural(kind)}`;
    await eventually(() =>
      this.plane.api.request(path, { method: 'POST', body: object }).then(
        () => true,
        (error: unknown) => {
          if (/failed calling webhook "[^"]*\.kruise\.io"|not yet ready to handle/.test(String(error))) return false;
          throw error;
        },
      ),
    );
  }

  /** Makes the namespace with a CloneSet that is complete. */
  async open(): Promise<void> {
    await this.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.namespace } });
    await this.until({ list: 'serviceaccounts', text: /"default"/ });
    await this.create(cloneSet('sound', { replicas: 1 }));
    await this.until({ list: 'apps.kruise.io/v1beta1/clonesets', text: /"name":"sound".*"availableReplicas":1/ });
  }

  pathOf(list: string): string {
    const slash = list.lastIndexOf('/');
    return `${groupPath(slash < 0 ? 'v1' : list.slice(0, slash))}/namespaces/${this.namespace}/${list.slice(slash + 1)}`;
  }

  patch(list: string, name: string, change: object, subresource = ''): Promise<unknown> {
    const path = `${this.pathOf(list)}/${name}${subresource}`;
    return this.plane.api.request(path, { method: 'PATCH', contentType: 'application/merge-patch+json', body: change });
  }

  /** Waits until an object of the list shows the sign. @throws with the list when it takes too long */
  async until({ list, text }: Sign): Promise<void> {
    const path = this.pathOf(list);
    let seen: readonly string[] = [];
    const shows = async (): Promise<boolean> => {
      const { items } = (await this.plane.api.request(path)) as { readonly items: readonly object[] };
      seen = items.map((item) => JSON.stringify(item));
      return seen.some((item) => text.test(item));
    };
    await eventually(shows).catch((error: unknown) => {
      throw new Error(`${this.namespace}: no object of ${list} shows ${text.source}:\n${seen.join('\n')}`, { cause: error });
    });
  }

  /** Waits until a dry run of the creation of an object is refused. */
  async untilRefused(object: object, refusal: RegExp): Promise<void> {
    const { apiVersion, kind } = object as Named;
    const path = `${groupPath(apiVersion)}/namespaces/${this.namespace}/${plural(kind)}?dryRun=All`;
    await eventually(() =>
      this.plane.api.request(path, { method: 'POST', body: object }).then(
        () => false,
        (error: unknown) => refusal.test(String(error)),
      ),
    );
  }
}

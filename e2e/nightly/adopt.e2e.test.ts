/** `kubectl kruise adopt` on real nodes: containers keep running, and clients of the Service get every answer. @see docs/decisions/adopt.md */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { urlPath, type UrlPath } from '@kruise/kube';
import { isJsonObject, memberAt, nodes, pods, type KubeObject, type Pod } from '@kruise/objects';
import type { CloneSetFixture } from '../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { closeFixture, images, openFixture } from '../support/fixture.ts';
import { kruise } from '../support/programs.ts';
import { ask, SteadyClient } from '../support/steady-client.ts';

const namespace = 'adopt';
const requestsPerSecond = 200;

/** A web server that answers with the name of its Pod. */
const script = 'hostname > /var/www/index.html; trap "exit 0" TERM; httpd -f -p 80 -h /var/www & wait $!';

interface End {
  /** As the command line names it. */
  readonly word: string;
  readonly group: string;
  readonly plural: string;
}
interface Pair {
  readonly app: string;
  readonly builtin: End;
  readonly advanced: End;
  readonly spec: object;
  readonly replicas: number;
}

const builtin = (word: string): End => ({ word: `${word}s.apps`, group: 'apps/v1', plural: `${word}s` });
const advanced = (word: string): End => ({ word: `${word}s.apps.kruise.io`, group: 'apps.kruise.io/v1beta1', plural: `${word}s` });

/** DaemonSets have a Pod on each of the three nodes. */
const pairs: readonly Pair[] = [
  { app: 'web', builtin: builtin('deployment'), advanced: advanced('cloneset'), spec: { replicas: 4 }, replicas: 4 },
  {
    app: 'db',
    builtin: builtin('statefulset'),
    advanced: advanced('statefulset'),
    spec: { replicas: 4, serviceName: 'db', podManagementPolicy: 'Parallel' },
    replicas: 4,
  },
  { app: 'agent', builtin: builtin('daemonset'), advanced: advanced('daemonset'), spec: {}, replicas: 3 },
];

const listPath = ({ group, plural }: End): UrlPath => {
  const [name = '', version = ''] = group.split('/');
  return urlPath`/apis/${name}/${version}/namespaces/${namespace}/${plural}`;
};
const pathOf = ({ group, plural }: End, app: string): UrlPath => {
  const [name = '', version = ''] = group.split('/');
  return urlPath`/apis/${name}/${version}/namespaces/${namespace}/${plural}/${app}`;
};

describe('adopt', () => {
  let fixture: CloneSetFixture;
  beforeAll(async () => {
    fixture = await openFixture(namespace);
  });
  afterAll(() => closeFixture(fixture));

  const podsOf = async (app: string): Promise<readonly Pod[]> => {
    const { items } = await fixture.client.list(pods, { namespace, labelSelector: `app=${app}` });
    return items.toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name));
  };
  /** What a restart would change. */
  const identitiesOf = async (app: string): Promise<readonly string[]> =>
    (await podsOf(app)).map(({ metadata, status }) => {
      const containers = status?.containerStatuses?.map(({ containerID, restartCount }) => `${containerID ?? ''} ${restartCount}`) ?? [];
      return [metadata.name, metadata.uid, ...containers].join(' ');
    });
  /** Whether the controller of the object has seen it and counts every Pod as updated and available. */
  const isAtRest = async (end: End, { app, replicas }: Pair): Promise<boolean> => {
    const object = (await fixture.client.raw(pathOf(end, app))) as KubeObject;
    const status = memberAt(object, 'status');
    if (!isJsonObject(status) || status['observedGeneration'] !== object.metadata.generation) return false;
    const updated = status['updatedReplicas'] ?? status['updatedNumberScheduled'];
    return updated === replicas && (status['availableReplicas'] ?? status['numberAvailable']) === replicas;
  };
  const create = async ({ app, builtin: end, spec }: Pair): Promise<void> => {
    const container = { name: 'main', image: images.first, command: ['sh', '-c', script] };
    const template = { metadata: { labels: { app } }, spec: { terminationGracePeriodSeconds: 5, containers: [container] } };
    const body = { metadata: { name: app }, spec: { selector: { matchLabels: { app } }, template, ...spec } };
    await fixture.client.raw(listPath(end), { method: 'POST', body });
  };
  const addressOf = async (name: string): Promise<string> => {
    const node = await fixture.client.get(nodes, { namespace: '', name });
    const addresses = memberAt(node, 'status', 'addresses') as readonly { readonly type: string; readonly address: string }[];
    return addresses.find(({ type }) => type === 'InternalIP')?.address ?? '';
  };
  /** Creates the Service. @returns its URL on the first node: a node port needs no route to cluster IPs */
  const urlOf = async ({ app }: Pair): Promise<string> => {
    const body = { metadata: { name: app }, spec: { type: 'NodePort', selector: { app }, ports: [{ port: 80 }] } };
    const service = await fixture.client.raw(urlPath`/api/v1/namespaces/${namespace}/services`, { method: 'POST', body });
    const ports = memberAt(service, 'spec', 'ports') as readonly { readonly nodePort: number }[];
    return `http://${await addressOf('node1')}:${ports[0]?.nodePort ?? 0}/`;
  };
  /**
   * Waits until kube-proxy sends requests to every Pod, and each answers. These requests come from another address than those of the test: for some
   * seconds the kernel remembers a refused connection, and refuses the next one from the same address and port as well.
   */
  const untilServed = async (url: string, { app, replicas }: Pair): Promise<void> => {
    const localAddress = await addressOf('node2');
    const answers = (): Promise<readonly string[]> =>
      Promise.all(Array.from({ length: 5 * replicas }, () => ask(url, localAddress))).catch(() => []);
    await fixture.eventually(async () => new Set(await answers()).size === replicas, `every Pod of ${app} answers`);
  };

  it.each(pairs)('of $builtin.word and back: no request of 200 a second fails, and no container restarts', async (pair) => {
    const { app, replicas } = pair;
    await create(pair);
    const url = await urlOf(pair);
    await fixture.eventually(() => isAtRest(pair.builtin, pair), `${app} is available`);
    await untilServed(url, pair);
    const users = new SteadyClient(url, requestsPerSecond);
    try {
      const before = await identitiesOf(app);
      expect(before).toHaveLength(replicas);
      for (const [from, to] of [
        [pair.builtin, pair.advanced],
        [pair.advanced, pair.builtin],
      ] as const) {
        const output = await kruise('adopt', `${from.word}/${app}`, '--yes', '-n', namespace);
        expect(output).toContain(`adopted ${replicas} Pods`);
        await fixture.eventually(() => isAtRest(to, pair), `${app} is at rest`);
        const { failures, byText } = users.take();
        expect(failures).toEqual([]);
        expect([...byText.keys()].toSorted()).toEqual((await podsOf(app)).map(({ metadata }) => metadata.name));
        expect(await identitiesOf(app)).toEqual(before);
      }
    } finally {
      await users.stop();
    }
    expect(users.take().failures).toEqual([]);
  });
});

/** A changed ConfigMap on real nodes: the containers that request it restart in place and have the new content. @see spec/config-rollout.md 8 */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { annotations } from '@kruise/api';
import { configMaps, type Pod } from '@kruise/objects';
import { cloneSetOf, isRolledOut, type CloneSetFixture } from '../../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { PodHistory } from '../../../apps/manager/src/int-tests/fixtures/pod-history.testing.ts';
import { inPlaceReady, uidsOf } from '../../support/pod-facts.ts';
import { kubectl } from '../../support/programs.ts';
import { closeFixture, images, openFixture } from '../../support/fixture.ts';

const hash = {
  name: 'CONFIG_HASH',
  valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: `metadata.annotations['${annotations.configHash}']` } },
};
const command = ['sh', '-c', 'trap "exit 0" TERM; while :; do sleep 1; done'];
const template = {
  metadata: { labels: { app: 'web' } },
  spec: {
    terminationGracePeriodSeconds: 5,
    volumes: [{ name: 'settings', configMap: { name: 'settings' } }],
    containers: [
      { name: 'main', image: images.first, envFrom: [{ configMapRef: { name: 'settings' } }], env: [hash] },
      { name: 'file', image: images.first, command, env: [hash], volumeMounts: [{ name: 'settings', mountPath: '/settings' }] },
      { name: 'other', image: images.first, command },
    ],
  },
};

let fixture: CloneSetFixture;
beforeAll(async () => {
  fixture = await openFixture('config-rollout');
});
afterAll(() => closeFixture(fixture));

const settings = { namespace: 'config-rollout', name: 'settings' };
const restartsIn = ({ status }: Pod): object =>
  Object.fromEntries((status?.containerStatuses ?? []).map(({ name, restartCount }) => [name, restartCount]));
const shellIn = async (pod: Pod, container: string, script: string): Promise<string> =>
  (await kubectl('-n', fixture.namespace, 'exec', pod.metadata.name, '-c', container, '--', 'sh', '-c', script)).trim();

describe('a CloneSet that names a ConfigMap', () => {
  it('restarts the containers with the hash in place, one Pod after the other, and no other container', async () => {
    await fixture.client.create(configMaps, { metadata: settings, data: { LEVEL: 'info' } });
    const shape = { name: 'web', replicas: 2, image: images.first, rollingUpdate: { maxUnavailable: 1 }, spec: { template } };
    const named = cloneSetOf(fixture.namespace, shape);
    const metadata = { ...named.metadata, annotations: { [annotations.configRollout]: 'configmap/settings' } };
    await fixture.create({ ...named, metadata });
    const first = await fixture.untilRolledOut('web');
    const before = await fixture.pods('web');
    await using history = await PodHistory.begin(fixture.client, fixture.namespace);

    await fixture.client.patch(configMaps, settings, { data: { LEVEL: 'debug' } }, { type: 'merge' });
    await fixture.until('web', (seen) => seen.status?.updateRevision !== first.status?.updateRevision && isRolledOut(seen));
    const after = await fixture.pods('web');
    expect(uidsOf(after)).toEqual(uidsOf(before));
    for (const pod of after) {
      expect(restartsIn(pod)).toEqual({ main: 1, file: 1, other: 0 });
      expect(await shellIn(pod, 'main', 'echo "$LEVEL $CONFIG_HASH"')).toBe(`debug ${pod.metadata.annotations?.[annotations.configHash]}`);
      expect(await shellIn(pod, 'file', 'cat /settings/LEVEL')).toBe('debug');
    }
    const observed = await history.untilNow();
    for (const { metadata } of after) expect(observed.sequence(metadata.name, inPlaceReady)).toEqual(['True', 'False', 'True']);
  });
});

/** Resources of CloneSets' Pods that change in running containers, with the gate that is off by default. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { conditionTypes } from '@kruise/api';
import { containerStatusOf, type Pod } from '@kruise/objects';
import type { CloneSetFixture } from '../../../apps/manager/src/int-tests/fixtures/cloneset-fixture.testing.ts';
import { inPlaceReady, lifecycleState, restartsOf, uidsOf } from '../../support/pod-facts.ts';
import { PodHistory } from '../../../apps/manager/src/int-tests/fixtures/pod-history.testing.ts';
import { closeFixture, images, openFixture } from '../../support/fixture.ts';

describe("resources of a CloneSet's Pods", () => {
  let fixture: CloneSetFixture;

  beforeAll(async () => {
    fixture = await openFixture('cloneset-resources');
  });
  afterAll(() => closeFixture(fixture));

  const sized = (name: string, cpu: { readonly request: string; readonly limit: string }, memory = '32Mi', restart = false): object => ({
    metadata: { labels: { app: name } },
    spec: {
      containers: [
        {
          name: 'main',
          image: images.first,
          resources: { requests: { cpu: cpu.request, memory: '16Mi' }, limits: { cpu: cpu.limit, memory } },
          resizePolicy: [
            { resourceName: 'cpu', restartPolicy: 'NotRequired' },
            { resourceName: 'memory', restartPolicy: restart ? 'RestartContainer' : 'NotRequired' },
          ],
        },
      ],
    },
  });
  const limits = (pod: Pod): Readonly<Record<string, string>> | undefined =>
    (containerStatusOf(pod, 'main') as { readonly resources?: { readonly limits?: Readonly<Record<string, string>> } } | undefined)
      ?.resources?.limits;

  it('cpu and memory change in the running container, which stays in service', async () => {
    await fixture.apply({ name: 'sized', replicas: 1, image: '', spec: { template: sized('sized', { request: '10m', limit: '100m' }) } });
    await fixture.untilRolledOut('sized');
    const [before] = await fixture.pods('sized');
    const name = before?.metadata.name ?? '';
    await using history = await PodHistory.begin(fixture.client, fixture.namespace);
    await fixture.patch('sized', { spec: { template: sized('sized', { request: '20m', limit: '200m' }, '48Mi') } });
    await fixture.untilRolledOut('sized');
    const after = await fixture.pod(name);
    expect(after.metadata.uid).toBe(before?.metadata.uid);
    expect(limits(after)).toMatchObject({ cpu: '200m', memory: '48Mi' });
    expect(restartsOf(after)).toBe(0);
    const observed = await history.untilNow();
    expect(observed.sequence(name, inPlaceReady)).toEqual(['True']);
    expect(observed.sequence(name, lifecycleState)).toEqual(['Normal', 'Updating', 'Normal']);
  });

  it('a node that cannot give as much is named, and other amounts go to the same Pod', async () => {
    const [before] = await fixture.pods('sized');
    await fixture.patch('sized', { spec: { template: sized('sized', { request: '900', limit: '900' }, '48Mi') } });
    await fixture.until('sized', ({ status }) => status?.conditions?.some(({ reason }) => reason === 'ResizePending') === true);
    await fixture.patch('sized', { spec: { template: sized('sized', { request: '30m', limit: '300m' }, '48Mi') } });
    const { status } = await fixture.untilRolledOut('sized');
    expect(status?.conditions?.some(({ type }) => type === conditionTypes.blocked) ?? false).toBe(false);
    const [after] = await fixture.pods('sized');
    expect(after?.metadata.uid).toBe(before?.metadata.uid);
    expect(after && limits(after)).toMatchObject({ cpu: '300m' });
  });

  it('a container that restarts for its memory leaves service meanwhile, and a change of the QoS class recreates the Pod', async () => {
    const cpu = { request: '10m', limit: '100m' };
    await fixture.apply({ name: 'memory', replicas: 1, image: '', spec: { template: sized('memory', cpu, '32Mi', true) } });
    await fixture.untilRolledOut('memory');
    const [before] = await fixture.pods('memory');
    const name = before?.metadata.name ?? '';
    await using history = await PodHistory.begin(fixture.client, fixture.namespace);
    await fixture.patch('memory', { spec: { template: sized('memory', cpu, '64Mi', true) } });
    await fixture.untilRolledOut('memory');
    const observed = await history.untilNow();
    expect(observed.sequence(name, inPlaceReady)).toEqual(['True', 'False', 'True']);
    expect(restartsOf(await fixture.pod(name))).toBe(1);

    const guaranteed = sized('memory', { request: '100m', limit: '100m' }, '16Mi', true);
    await fixture.patch('memory', { spec: { template: guaranteed } });
    await fixture.untilRolledOut('memory');
    expect(uidsOf(await fixture.pods('memory'))).not.toEqual([before?.metadata.uid]);
  });
});

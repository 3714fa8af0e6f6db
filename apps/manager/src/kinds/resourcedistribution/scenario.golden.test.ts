/** A golden scenario of a distribution from creation to deletion: what is written, when and why, and then an hour without writes. */
import { expect, it } from '@jest/globals';
import { quietHour } from '@kruise/kube/testing';
import { configMaps, namespaces } from '@kruise/objects';
import { goldenText } from '@kruise/testing';
import { configMap, list } from '@kruise/kinds/resourcedistribution/testing';
import { RunStates } from '../../module/fixtures/argo-health.testing.ts';
import { DistributionCluster } from './cluster.testing.ts';

const labelled = { namespaceSelector: { matchLabels: { team: 'x' } } };

const states = new RunStates('ResourceDistribution');

it('a distribution is made, changed, narrowed, put right, in conflict, and quiet', async () => {
  const cluster = new DistributionCluster(['default', 'kube-system']);
  const { timeline } = cluster;
  cluster.record();
  states.watch('life', cluster.api);
  const manager = cluster.begin();
  const step = async (what: string, act: () => unknown): Promise<void> => {
    timeline.note(what);
    await act();
    await manager.settle();
  };
  await step('a distribution to a selection and to a namespace that does not exist', () => {
    cluster.namespace('shop', { team: 'x' });
    cluster.distribute({ ...labelled, includedNamespaces: list('later') });
  });
  await step('the namespace comes', () => cluster.namespace('later'));
  await step('a namespace gets the label, where somebody else has the name', async () => {
    cluster.api.seed(configMaps, { metadata: { name: 'settings', namespace: 'default' }, data: { of: 'somebody else' } });
    await cluster.api.patch(namespaces, { namespace: '', name: 'default' }, { metadata: { labels: { team: 'x' } } }, { type: 'merge' });
  });
  await step('that object goes', () => cluster.api.delete(configMaps, { namespace: 'default', name: 'settings' }));
  await step('a copy is edited', () =>
    cluster.api.patch(
      configMaps,
      { namespace: 'shop', name: 'settings' },
      { data: { color: 'red' }, metadata: { labels: { mine: '1' } } },
      { type: 'merge' },
    ),
  );
  await step('a copy is deleted', () => cluster.api.delete(configMaps, { namespace: 'shop', name: 'settings' }));
  await step('the resource changes', () => cluster.change({ resource: { data: { color: 'green' } } }));
  await step('and back', () => cluster.change({ resource: { data: configMap.data } }));
  await step('the targets become fewer', () => cluster.change({ targets: { namespaceSelector: null } }));
  timeline.note('an hour without any change');
  expect(await quietHour({ ...cluster })).toEqual([]);
  await manager.stop();
  expect(timeline.text).toBe(goldenText(new URL('./testdata/scenario.txt', import.meta.url), timeline.text));
});

states.itHasVerdicts(new URL('./testdata/argocd/verdicts.txt', import.meta.url));

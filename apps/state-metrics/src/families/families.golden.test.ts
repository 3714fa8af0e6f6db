/** The output of one object of each kind, to compare with spec/kruise-state-metrics.md 4 line by line. */
import { describe, expect, it } from '@jest/globals';
import { goldenText, specificationText } from '@kruise/testing';
import { resourceKinds } from './all-kinds.ts';
import { readExposition } from './exposition.testing.ts';
import { anObjectOf } from './objects.testing.ts';
import { headerOf, renderObject } from './render.ts';
import type { ResourceKind } from './resource-kind.ts';

const allowed = { labels: ['*'], annotations: ['example.com/owner'] };

function outputOf({ label, families, resource }: ResourceKind): string {
  const texts = renderObject(anObjectOf[resource]!, { label, families, allowed });
  return families.map((family, at) => headerOf(family) + texts[at]!).join('');
}

describe('the metrics of a kind', () => {
  it.each(resourceKinds.map((kind) => [kind.resource, kind] as const))('are those of its golden file: %s', (resource, kind) => {
    const output = outputOf(kind);
    expect(readExposition(output).length).toBe(kind.families.length);
    expect(output).toBe(goldenText(new URL(`./testdata/${resource}.txt`, import.meta.url), output));
  });

  it('are seven by default, in alphabetical order', () => {
    expect(resourceKinds.filter(({ byDefault }) => byDefault).map(({ resource }) => resource)).toEqual([
      'broadcastjobs',
      'clonesets',
      'containerrecreaterequests',
      'daemonsets',
      'sidecarsets',
      'statefulsets',
      'workloadspreads',
    ]);
    expect(resourceKinds.map(({ resource }) => resource)).toEqual(resourceKinds.map(({ resource }) => resource).toSorted());
    expect(resourceKinds).toHaveLength(16);
  });

  it('have a version that the API server may serve, the specified one first', () => {
    const first = Object.fromEntries(resourceKinds.map(({ resource, types }) => [resource, types[0]?.version]));
    expect(first).toMatchObject({ clonesets: 'v1alpha1', statefulsets: 'v1beta1', sidecarsets: 'v1alpha1', daemonsets: 'v1alpha1' });
    expect(resourceKinds.find(({ resource }) => resource === 'clonesets')?.types.map(({ version }) => version)).toEqual([
      'v1alpha1',
      'v1beta1',
    ]);
  });

  it('have the names of the table of CloneSets in its order', () => {
    const page = specificationText();
    const section = page.slice(page.indexOf('### 4.1 clonesets'), page.indexOf('### 4.2 statefulsets'));
    const named = [...section.matchAll(/^\| ([a-z]+(?:_[a-z]+)*(?:, [a-z_]+)*) \|/gm)].flatMap(([, names = '']) => names.split(', '));
    const families = resourceKinds.find(({ resource }) => resource === 'clonesets')?.families ?? [];
    expect(families.map(({ name }) => name.replace('kruise_cloneset_', ''))).toEqual(named);
  });
});

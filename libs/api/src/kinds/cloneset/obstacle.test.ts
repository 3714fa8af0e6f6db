import { describe, expect, it } from '@jest/globals';
import { cloneSetObstacle } from './rules.ts';

interface Stored {
  readonly spec: unknown;
}

const good = {
  replicas: 3,
  selector: { matchLabels: { app: 'sample' } },
  template: { metadata: { labels: { app: 'sample' } }, spec: { containers: [{ name: 'main', image: 'app:1' }] } },
};
const withSpec = (spec: unknown): Stored => ({ spec });
const withTemplate = (template: unknown): Stored => withSpec({ ...good, template });

describe('a CloneSet that is stored without admission', () => {
  it('has no obstacle when it is well formed', () => {
    expect(cloneSetObstacle({ spec: good })).toBeUndefined();
  });

  it.each<[string, Stored, RegExp]>([
    ['no spec', withSpec(undefined), /^spec: Required value/],
    ['a text for replicas', withSpec({ ...good, replicas: 'many' }), /^spec\.replicas: Invalid value: "many"/],
    ['half a replica', withSpec({ ...good, replicas: 1.5 }), /^spec\.replicas: Invalid value: 1\.5/],
    ['negative replicas', withSpec({ ...good, replicas: -3 }), /^spec\.replicas/],
    ['two thousand million replicas', withSpec({ ...good, replicas: 2_000_000_000 }), /^spec\.replicas/],
    ['no selector', withSpec({ ...good, selector: null }), /^spec\.selector: Required value/],
    ['an empty selector', withSpec({ ...good, selector: {} }), /^spec\.selector: Required value/],
    ['a list for a selector', withSpec({ ...good, selector: [] }), /^spec\.selector: Invalid value/],
    ['a selector that does not match', withSpec({ ...good, selector: { matchLabels: { app: 'other' } } }), /does not match the labels/],
    ['no template', withTemplate(null), /^spec\.template\.spec: Required value/],
    ['a text for containers', withTemplate({ spec: { containers: 'text' } }), /^spec\.template\.spec\.containers/],
    ['an empty container', withTemplate({ spec: { containers: [null] } }), /^spec\.template\.spec\.containers/],
    ['a number for labels', withTemplate({ ...good.template, metadata: { labels: 7 } }), /^spec\.template\.metadata\.labels/],
    ['a number for claims', withSpec({ ...good, volumeClaimTemplates: 5 }), /^spec\.volumeClaimTemplates/],
    [
      'one replica more than a million',
      withSpec({ ...good, replicas: 1_000_001 }),
      /^spec\.replicas: Invalid value: 1000001: must be a whole number of 0 to 1000000$/,
    ],
    [
      'one empty container among others',
      withTemplate({ spec: { containers: [{ name: 'a' }, null] } }),
      /^spec\.template\.spec\.containers/,
    ],
    [
      'a text for metadata',
      withTemplate({ ...good.template, metadata: 'text' }),
      /^spec\.template\.metadata: Invalid value: must be an object$/,
    ],
    [
      'a number for a label',
      withTemplate({ ...good.template, metadata: { labels: { app: 'sample', tier: 7 } } }),
      /^spec\.template\.metadata\.labels: Invalid value: must map names to strings$/,
    ],
    [
      'a number for an annotation',
      withTemplate({ ...good.template, metadata: { labels: { app: 'sample' }, annotations: { a: 7 } } }),
      /^spec\.template\.metadata\.annotations/,
    ],
    [
      'numbers for labels and annotations, of which the first is reported',
      withTemplate({ ...good.template, metadata: { labels: { app: 7 }, annotations: { a: 7 } } }),
      /^spec\.template\.metadata\.labels/,
    ],
    [
      'a text for a claim',
      withSpec({ ...good, volumeClaimTemplates: ['data'] }),
      /^spec\.volumeClaimTemplates: Invalid value: must be a list of claims with metadata\.name$/,
    ],
    ['a claim without metadata', withSpec({ ...good, volumeClaimTemplates: [{ spec: {} }] }), /^spec\.volumeClaimTemplates/],
    ['a claim without a name', withSpec({ ...good, volumeClaimTemplates: [{ metadata: {} }] }), /^spec\.volumeClaimTemplates/],
    [
      'a number for the name of the second claim',
      withSpec({ ...good, volumeClaimTemplates: [{ metadata: { name: 'data' } }, { metadata: { name: 7 } }] }),
      /^spec\.volumeClaimTemplates/,
    ],
    [
      'a template without metadata, which the selector cannot match',
      withTemplate({ spec: good.template.spec }),
      /does not match the labels/,
    ],
    [
      'a selector that is not there',
      withSpec(Object.fromEntries(Object.entries(good).filter(([key]) => key !== 'selector'))),
      /^spec\.selector: Required value/,
    ],
    ['a text for podsToDelete', withSpec({ ...good, scaleStrategy: { podsToDelete: 'all' } }), /^spec\.scaleStrategy\.podsToDelete/],
  ])('has the obstacle: %s', (_, cloneSet, why) => {
    expect(cloneSetObstacle(cloneSet)).toMatch(why);
  });

  it.each<[string, object]>([
    ['a million replicas', { replicas: 1_000_000 }],
    ['no replicas', { replicas: 0 }],
    ['replicas left out', { replicas: undefined }],
    ['claims', { volumeClaimTemplates: [{ metadata: { name: 'data' } }, { metadata: { name: 'logs' } }] }],
    ['null for the lists', { volumeClaimTemplates: null, scaleStrategy: { podsToDelete: null } }],
    ['a scale strategy without a list', { scaleStrategy: {} }],
    ['a list of Pods to delete', { scaleStrategy: { podsToDelete: ['sample-a'] } }],
    ['labels and annotations', { template: { ...good.template, metadata: { labels: { app: 'sample' }, annotations: { a: 'b' } } } }],
  ])('has no obstacle with %s', (_, change) => {
    expect(cloneSetObstacle(withSpec({ ...good, ...change }))).toBeUndefined();
  });
});

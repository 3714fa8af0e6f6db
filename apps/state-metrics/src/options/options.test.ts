import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { readOptions, type Options } from './options.ts';
import { version } from './version.ts';

function run(...argv: readonly string[]): Options {
  const read = readOptions(argv);
  if (read.kind !== 'Run') throw new Error(read.output);
  return read.options;
}
const end = (...argv: readonly string[]) => {
  const read = readOptions(argv);
  return read.kind === 'End' ? { code: read.code, output: read.output } : undefined;
};
const familiesOf = (options: Options): readonly string[] => options.exported.flatMap(({ kind }) => kind.families.map(({ name }) => name));

describe('the options of kruise-state-metrics', () => {
  it('export seven kinds of all namespaces, unsharded, without flags', () => {
    const { exported, namespaces, sharding, pod, flags } = run();
    expect(exported).toHaveLength(7);
    expect([namespaces, sharding, pod]).toEqual([[], { shard: 0, totalShards: 1 }, undefined]);
    expect([flags.port, flags.host, flags['telemetry-port'], flags['telemetry-host']]).toEqual([8080, '::', 8081, '::']);
  });

  it('take the flags of the chart', () => {
    expect(run('--logtostderr=true', '--v=5').flags.v).toBe(5);
  });

  it('choose resources by name, in alphabetical order and once', () => {
    const { exported } = run('--resources=statefulsets, clonesets,nodeimages,clonesets');
    expect(exported.map(({ kind }) => kind.resource)).toEqual(['clonesets', 'nodeimages', 'statefulsets']);
  });

  it('refuse an unknown resource, naming those that there are', () => {
    const { code, output } = end('--resources=foo')!;
    expect(code).toBe(1);
    expect(output).toMatch(
      /^resource foo does not exist\. Available resources: advancedcronjobs,broadcastjobs,clonesets,.*,workloadspreads$/,
    );
  });

  it('omit the families that the denylist matches anywhere', () => {
    const names = familiesOf(run('--metric-denylist=kruise_cloneset_.*,_created$'));
    expect(names.filter((name) => name.startsWith('kruise_cloneset_') || name.endsWith('_created'))).toEqual([]);
    expect(names).toContain('kruise_statefulset_replicas');
  });

  it('leave only the families that the allowlist matches', () => {
    expect(familiesOf(run('--metric-allowlist=^kruise_cloneset_spec_replicas$,daemonset_created'))).toEqual([
      'kruise_cloneset_spec_replicas',
      'kruise_daemonset_created',
    ]);
  });

  it.each([
    [['--metric-allowlist=a', '--metric-denylist=b'], /mutually exclusive/],
    [['--metric-denylist=a('], /--metric-denylist: "a\(" is not a regular expression/],
    [['--metric-labels-allowlist=clonesets'], /--metric-labels-allowlist must be like clonesets=\[app,team\]/],
    [['--metric-annotations-allowlist=clonesets=[a'], /--metric-annotations-allowlist must be like/],
    [['--metric-labels-allowlist=clonesets=[a]statefulsets=[b]'], /must be like/],
    [['--shard=2', '--total-shards=2'], /--shard must be from 0/],
    [['--shard=-1'], /--shard must be from 0/],
    [['--total-shards=0'], /--total-shards must be 1 or more/],
    [['--port=70000'], /--port must be a port/],
    [['--logging-format=xml'], /text or json/],
  ])('refuse %j', (argv, message) => {
    const { code, output } = end(...argv)!;
    expect([code, output]).toEqual([1, expect.stringMatching(message)]);
  });

  it('have keys of labels and annotations for each resource', () => {
    const { exported } = run(
      '--metric-labels-allowlist=clonesets=[app.kubernetes.io/name, team],statefulsets=[*]',
      '--metric-annotations-allowlist=clonesets=[a]',
    );
    const allowed = Object.fromEntries(exported.map((one) => [one.kind.resource, one.allowed]));
    expect(allowed['clonesets']).toEqual({ labels: ['app.kubernetes.io/name', 'team'], annotations: ['a'] });
    expect(allowed['statefulsets']).toEqual({ labels: ['*'], annotations: [] });
    expect(allowed['daemonsets']).toEqual({ labels: [], annotations: [] });
  });

  it('warn of keys for what is no resource', () => {
    expect(run('--metric-labels-allowlist=pods=[app]').warnings).toEqual(['--metric-labels-allowlist names pods, which is not a resource']);
  });

  it('shard automatically with both the name and the namespace of the Pod', () => {
    expect(run('--pod=ksm-0', '--pod-namespace=n').pod).toEqual({ namespace: 'n', name: 'ksm-0' });
    const half = run('--pod=ksm-0');
    expect([half.pod, half.warnings.length]).toEqual([undefined, 1]);
  });

  it('print the version and the usage', () => {
    expect(end('--version')).toEqual({ code: 0, output: `kruise-state-metrics, version ${version}` });
    expect(end('-h')).toMatchObject({ code: 0, output: expect.stringContaining('--telemetry-port int') as never });
    expect(end('--foo')).toMatchObject({ code: 2, output: expect.stringContaining('unknown flag: --foo') as never });
  });

  it('have the version of the package', () => {
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { readonly version: string };
    expect(version).toBe(manifest.version);
  });
});

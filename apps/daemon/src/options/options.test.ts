import { describe, expect, it } from '@jest/globals';
import { readOptions, type Options } from './options.ts';

const onNode = { NODE_NAME: 'node1' };

function run(argv: readonly string[] = [], variables: Record<string, string> = onNode): Options {
  const read = readOptions(argv, variables);
  if (read.kind === 'End') throw new Error(read.output);
  return read.options;
}

describe('options of the daemon', () => {
  it('start the arguments of the chart', () => {
    const { flags, nodeName } = run([
      '--logtostderr=true',
      '--v=4',
      '--addr=:10221',
      '--feature-gates=AllAlpha=true,AllBeta=true',
      '--socket-file=',
      '--enable-pprof=true',
      '--pprof-addr=localhost:10222',
      '--plugin-config-file=/credential-provider-config/CredentialProviderPlugin.yaml',
      '--plugin-bin-dir=/credential-provider-plugin',
      '--max-workers-for-pull-image=2',
    ]);
    expect(nodeName).toBe('node1');
    expect(flags).toMatchObject({
      addr: ':10221',
      v: 4,
      'pprof-addr': 'localhost:10222',
      'max-workers-for-pull-image': 2,
      'host-run-dir': '/hostvarrun',
    });
  });

  it('take both forms of a flag, the short one, and the documented name of the pull limit', () => {
    expect(run(['--addr', ':1', '-v=5', '--max-concurrency=3']).flags).toMatchObject({ addr: ':1', v: 5, 'max-workers-for-pull-image': 3 });
  });

  it('switch off with KruiseDaemon what needs the daemon', () => {
    expect(run(['--feature-gates=KruiseDaemon=false']).gates).toMatchObject({
      DaemonWatchingPod: false,
      InPlaceUpdateEnvFromMetadata: false,
      PodProbeMarkerGate: false,
    });
    expect(run().gates).toMatchObject({ DaemonWatchingPod: true, InPlaceUpdateEnvFromMetadata: true });
  });

  it('follow CUSTOM_RESOURCE_ENABLE in the default of PodWebhook', () => {
    expect(run([], { ...onNode, CUSTOM_RESOURCE_ENABLE: 'CloneSet' }).gates.PodWebhook).toBe(false);
    expect(run([], { ...onNode, CUSTOM_RESOURCE_ENABLE: 'SidecarSet' }).gates.PodWebhook).toBe(true);
  });

  it.each<[string[], Record<string, string>, number, RegExp]>([
    [[], {}, 1, /^NODE_NAME is not set/],
    [[], { NODE_NAME: '' }, 1, /^NODE_NAME is not set/],
    [['--nope'], onNode, 2, /^unknown flag: --nope\nUsage of kruise-daemon:/],
    [['--feature-gates=Nope=true'], onNode, 2, /unrecognized feature gate: Nope/],
    [['--addr=10221'], onNode, 1, /--addr must be host:port or :port, not "10221"/],
    [['--host-run-dir=run'], onNode, 1, /--host-run-dir must be an absolute path/],
    [['--vmodule=crr'], onNode, 2, /^invalid argument "crr" for --vmodule: must be PATTERN=N,.*\nUsage of kruise-daemon:/],
    [['--logging-format=xml'], onNode, 1, /--logging-format must be text or json/],
    [['--enable-heap-snapshots', '--pprof-addr=:1'], onNode, 1, /--pprof-addr must be of localhost.*, not ":1"/],
    [['--help'], {}, 0, /^Usage of kruise-daemon:/],
  ])('%j %j ends with a clear line', (argv, variables, code, output) => {
    expect(readOptions(argv, variables)).toEqual({ kind: 'End', code, output: expect.stringMatching(output) });
  });
});

import { describe, expect, it } from '@jest/globals';
import { readOptions, type Options } from './options.ts';

function run(argv: readonly string[] = [], variables: Record<string, string> = {}): Options {
  const read = readOptions(argv, variables);
  if (read.kind === 'End') throw new Error(read.output);
  return read.options;
}

describe('options of the manager', () => {
  it('start the arguments of the chart and of the plain manifests', () => {
    const chart = [
      '--enable-leader-election',
      '--metrics-addr=:8080',
      '--health-probe-addr=:8000',
      '--logtostderr=true',
      '--leader-election-namespace=kruise-system',
      '--v=4',
      '--feature-gates=ImagePullJobGate=true',
      '--sync-period=0',
    ];
    const plain = [
      '--enable-leader-election',
      '--logtostderr=true',
      '--v=5',
      '--feature-gates=AllAlpha=true,AllBeta=true,EnableExternalCerts=false,TemplateNoDefaults=false',
    ];
    expect(run(chart).gates.ImagePullJobGate).toBe(true);
    expect(run(plain).gates).toMatchObject({ CloneSetShortHash: true, EnableExternalCerts: false });
  });

  it.each<[Record<string, string>, object]>([
    [{}, { podNamespace: 'kruise-system', webhookPort: 9876, certWriter: 'secret', podWebhookDefault: true }],
    [
      { WEBHOOK_HOST: '10.0.0.5', WEBHOOK_PORT: '9443' },
      { webhookHost: '10.0.0.5', webhookPort: 9443, certWriter: 'fs' },
    ],
    [{ WEBHOOK_HOST: 'h', WEBHOOK_CERT_WRITER: 'secret' }, { certWriter: 'secret' }],
    [{ CERTS_RENEW_BEFORE: '10d' }, { renewBefore: 864_000_000 }],
    [{ CERTS_RENEW_BEFORE: 'soon' }, { renewBefore: 180 * 86_400_000 }],
  ])('read the environment %j', (variables, expected) => {
    expect(run([], variables).environment).toMatchObject(expected);
  });

  it.each([
    ['CloneSet', false],
    ['CloneSet,SidecarSet', true],
    [' SidecarSet ', true],
    ['CloneSet, SidecarSet', false],
    ['', true],
  ])('CUSTOM_RESOURCE_ENABLE="%s" makes the default of PodWebhook %p', (list, expected) => {
    expect(run([], { CUSTOM_RESOURCE_ENABLE: list }).gates.PodWebhook).toBe(expected);
    expect(run(['--feature-gates=PodWebhook=true'], { CUSTOM_RESOURCE_ENABLE: list }).gates.PodWebhook).toBe(true);
  });

  it.each<[string[], Record<string, string>, number, RegExp]>([
    [['--nope'], {}, 2, /^unknown flag: --nope\nUsage of manager:/],
    [['--v=x'], {}, 2, /^invalid argument "x" for --v: must be a whole number/],
    [['--feature-gates=Nope=true'], {}, 2, /^invalid argument "Nope=true" for --feature-gates: unrecognized feature gate: Nope/],
    [['--enable-heap-snapshots', '--pprof-addr=:1'], {}, 1, /--pprof-addr must be of localhost.*, not ":1"/],
    [['--help'], {}, 0, /^Usage of manager:/],
    [['--leader-election-resource-lock=configmaps'], {}, 1, /must be leases, not "configmaps"/],
    [['--default-ttlseconds-for-always-nodeimage=2678401'], {}, 1, /must be 0 to 2678400, not 2678401/],
    [['--leader-election-lease-duration=5s'], {}, 1, /must be greater than --leader-election-renew-deadline/],
    [['--metrics-addr=8080'], {}, 1, /--metrics-addr must be host:port or :port, not "8080"/],
    [['--cloneset-workers=0'], {}, 1, /--cloneset-workers must be 1 or more, not 0/],
    [['--vmodule=crr'], {}, 2, /^invalid argument "crr" for --vmodule: must be PATTERN=N,.*\nUsage of manager:/],
    [['--logging-format=xml'], {}, 1, /--logging-format must be text or json, not "xml"/],
    [[], { WEBHOOK_PORT: 'http' }, 1, /WEBHOOK_PORT must be a port number/],
    [[], { WEBHOOK_CERT_WRITER: 'disk' }, 1, /WEBHOOK_CERT_WRITER must be fs or secret, not "disk"/],
  ])('%j %j ends with a clear line', (argv, variables, code, output) => {
    expect(readOptions(argv, variables)).toEqual({ kind: 'End', code, output: expect.stringMatching(output) });
  });

  it('warn about a CERTS_RENEW_BEFORE that cannot be read', () => {
    expect(run([], { CERTS_RENEW_BEFORE: '5w' }).warnings).toEqual([expect.stringContaining('using 180d')]);
  });

  it('take 0 as "no metrics"', () => {
    expect(run(['--metrics-addr=0']).flags['metrics-addr']).toBe('0');
  });
});

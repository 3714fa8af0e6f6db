import { describe, expect, it } from '@jest/globals';
import { defaultGates, gateNames, parseGates, type GateName } from './feature-gates.ts';

const parsed = (text: string, defaults = {}): Readonly<Record<GateName, boolean>> => {
  const result = parseGates(text, defaults);
  if (result.kind === 'Failed') throw new Error(result.message);
  return result.gates;
};

describe('feature gates', () => {
  it('knows all 37 gates and their defaults', () => {
    expect(gateNames).toHaveLength(37);
    expect(gateNames.filter((name) => defaultGates[name]).sort()).toEqual(
      [
        'PodWebhook',
        'PodWebhookNarrowing',
        'KruiseDaemon',
        'DaemonWatchingPod',
        'WorkloadSpread',
        'PodUnavailableBudgetDeleteGate',
        'InPlaceUpdateEnvFromMetadata',
        'StatefulSetAutoDeletePVC',
        'PodProbeMarkerGate',
        'PodIndexLabel',
      ].sort(),
    );
  });

  it.each<[string, Partial<Record<GateName, boolean>>]>([
    ['AllBeta=true,WorkloadSpread=false', { ResourceDistributionGate: true, WorkloadSpread: false, CloneSetShortHash: false }],
    ['WorkloadSpread=false, AllBeta=true', { WorkloadSpread: false }],
    [
      'AllAlpha=true,AllBeta=true,EnableExternalCerts=false,TemplateNoDefaults=false',
      { CloneSetShortHash: true, EnableExternalCerts: false, TemplateNoDefaults: false, PreparingUpdateAsUpdate: true },
    ],
    ['PodWebhook=false,KruisePodReadinessGate=true', { PodWebhook: false, KruisePodReadinessGate: false, WorkloadSpread: false }],
    [
      'KruiseDaemon=F,PreDownloadImageForInPlaceUpdate=t',
      { ImagePullJobGate: false, InPlaceUpdateEnvFromMetadata: false, PreDownloadImageForInPlaceUpdate: false },
    ],
    ['PreDownloadImageForDaemonSetUpdate=1', { ImagePullJobGate: true }],
    ['DeletionProtectionForCRDCascadingGate=true', { DeletionProtectionForCRDCascadingGate: false }],
    [' , ,', { PodWebhook: true }],
    ['EnhancedLivenessProbeGate=true', { EnhancedLivenessProbe: true }],
  ])('%s', (text, expected) => {
    expect(parsed(text)).toMatchObject(expected);
  });

  it('lets the environment change a default, but not an explicit gate', () => {
    expect(parsed('', { PodWebhook: false }).PodWebhook).toBe(false);
    expect(parsed('PodWebhook=true', { PodWebhook: false }).PodWebhook).toBe(true);
  });

  it.each([
    ['Nope=true', 'unrecognized feature gate: Nope, known are'],
    ['constructor=true', 'unrecognized feature gate: constructor'],
    ['PodWebhook', 'missing bool value for feature gate PodWebhook'],
    ['PodWebhook=yes', 'invalid value of feature gate PodWebhook: "yes", must be true or false'],
  ])('refuses %s', (text, message) => {
    expect(parseGates(text)).toEqual({ kind: 'Failed', message: expect.stringContaining(message) });
  });

  it('warns about the two documented names', () => {
    expect(parseGates('ForceDeleteTimeoutExpectationFeatureGate=true')).toMatchObject({
      gates: { ForceDeleteTimeoutExpectationGate: true },
      warnings: ['feature gate ForceDeleteTimeoutExpectationFeatureGate is called ForceDeleteTimeoutExpectationGate'],
    });
  });
});

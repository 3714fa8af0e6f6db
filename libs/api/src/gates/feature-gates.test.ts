import { describe, expect, it } from '@jest/globals';
import { defaultGates, formatGates, gateNames, gateTable, parseGates, type GateName } from './feature-gates.ts';

const parsed = (text: string, defaults = {}): Readonly<Record<GateName, boolean>> => {
  const result = parseGates(text, defaults);
  if (result.kind === 'Failed') throw new Error(result.message);
  return result.gates;
};

describe('feature gates', () => {
  it('knows all 41 gates and their defaults', () => {
    expect(gateNames).toHaveLength(41);
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
    ['=true', 'unrecognized feature gate: ,'],
    ['PodWebhook', 'missing bool value for feature gate PodWebhook'],
    ['PodWebhook=yes', 'invalid value of feature gate PodWebhook: "yes", must be true or false'],
  ])('refuses %s', (text, message) => {
    expect(parseGates(text)).toEqual({ kind: 'Failed', message: expect.stringContaining(message) });
  });

  const onlyForcedOff = (text: string): readonly GateName[] => {
    const all = parsed('AllAlpha=true,AllBeta=true');
    const gates = parsed(`AllAlpha=true,AllBeta=true,${text}`);
    return gateNames.filter((name) => all[name] && !gates[name]).sort();
  };

  it.each<[GateName, readonly GateName[]]>([
    [
      'PodWebhook',
      [
        'EnablePodProbeMarkerOnServerless',
        'EnhancedLivenessProbe',
        'KruisePodReadinessGate',
        'PodUnavailableBudgetDeleteGate',
        'PodUnavailableBudgetUpdateGate',
        'PodWebhook',
        'SidecarSetPatchPodMetadataDefaultsAllowed',
        'WorkloadSpread',
      ],
    ],
    [
      'KruiseDaemon',
      [
        'DaemonWatchingPod',
        'EnhancedLivenessProbe',
        'ImagePullJobGate',
        'InPlaceUpdateEnvFromMetadata',
        'KruiseDaemon',
        'PodProbeMarkerGate',
        'PreDownloadImageForDaemonSetUpdate',
        'PreDownloadImageForInPlaceUpdate',
        'SidecarTerminator',
      ],
    ],
    ['ResourcesDeletionProtection', ['DeletionProtectionForCRDCascadingGate', 'ResourcesDeletionProtection']],
    ['WorkloadSpread', ['WorkloadSpread']],
  ])('%s takes with it what needs it, and nothing else', (gate, off) => {
    expect(onlyForcedOff(`${gate}=false`)).toEqual(off);
  });

  it('image pull jobs are on where images are pulled ahead', () => {
    for (const gate of ['PreDownloadImageForInPlaceUpdate', 'PreDownloadImageForDaemonSetUpdate'])
      expect(parsed(`${gate}=true,ImagePullJobGate=false`).ImagePullJobGate).toBe(true);
    expect(parsed('').ImagePullJobGate).toBe(false);
  });

  it('takes the words of Go for true and false, with spaces around', () => {
    for (const word of ['1', 't', 'T', 'true', 'TRUE', 'True']) expect(parsed(`CloneSetShortHash = ${word} `).CloneSetShortHash).toBe(true);
    for (const word of ['0', 'f', 'F', 'false', 'FALSE', 'False']) expect(parsed(`PodWebhook=${word}`).PodWebhook).toBe(false);
  });

  it('AllAlpha and AllBeta speak of the gates of their maturity alone', () => {
    const changed = (text: string): readonly GateName[] => gateNames.filter((name) => parsed(text)[name] !== defaultGates[name]);
    expect(changed('AllAlpha=true').filter((name) => gateTable[name].maturity !== 'Alpha')).toEqual([]);
    expect(changed('AllBeta=true')).toEqual(['ResourcesDeletionProtection', 'ResourceDistributionGate']);
  });

  it('are printed in the order of the table', () => {
    expect(formatGates(defaultGates)).toMatch(/^PodWebhook=true,PodWebhookNarrowing=true,.*,DaemonSetPruneIneligibleNodes=false$/);
  });

  it('names all that are known, in the order of the alphabet', () => {
    expect(parseGates('Nope=true')).toEqual({
      kind: 'Failed',
      message: `unrecognized feature gate: Nope, known are AllAlpha, AllBeta, ${[...gateNames].sort().join(', ')}`,
    });
    expect(parseGates('PodWebhook')).toEqual({
      kind: 'Failed',
      message: 'missing bool value for feature gate PodWebhook: write PodWebhook=true or PodWebhook=false',
    });
  });

  it('has no warnings for names that are right', () => {
    expect(parseGates('PodWebhook=true')).toEqual({ kind: 'Parsed', gates: defaultGates, warnings: [] });
  });

  it('warns about the two documented names', () => {
    expect(parseGates('ForceDeleteTimeoutExpectationFeatureGate=true')).toMatchObject({
      gates: { ForceDeleteTimeoutExpectationGate: true },
      warnings: ['feature gate ForceDeleteTimeoutExpectationFeatureGate is called ForceDeleteTimeoutExpectationGate'],
    });
  });
});

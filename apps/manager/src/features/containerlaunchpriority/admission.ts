/** Step 4 of the Pod webhook, after sidecars came in, so that they take part. @see spec/containerlaunchpriority.md 4 */
import { barrierTrace, podsWithLaunchPriority } from './pod-needs.ts';
import type { PodStep, PodStepResult } from '../../module/pod-step.ts';
import { injectBarrier } from '@kruise/kinds/containerlaunchpriority';

/** @param random gives numbers in [0, 1), as `Math.random` does */
export const launchPriorityStep = (random: () => number): PodStep => ({
  name: 'container-launch-priority',
  needs: { trace: barrierTrace, current: () => [podsWithLaunchPriority] },
  apply: (pod): PodStepResult => {
    const injected = injectBarrier(pod, random);
    return injected.kind === 'Pod' ? injected : { kind: 'Refused', code: 400, message: injected.message };
  },
});

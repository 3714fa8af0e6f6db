/** Commands that change objects, and other short ones. They are loaded together: files of their own would take more bytes to share code. */
export { broadcastJob, containerRecreateRequest, job } from './create/job.ts';
export { rollout as describeRollout } from './describe.ts';
export { run as exec } from './exec.ts';
export { run as expose } from './expose.ts';
export { all as getAll } from './get.ts';
export { run as migrate } from './migrate.ts';
export { kubectlRun } from './other/kubectl.ts';
export { run as history } from './rollout/history.ts';
export { approve, pause, resume } from './rollout/pause.ts';
export { run as restart } from './rollout/restart.ts';
export { run as status } from './rollout/status.ts';
export { run as undo } from './rollout/undo.ts';
export { run as scaledown } from './scaledown.ts';
export { run as env } from './set/env.ts';
export { image, resources, serviceAccount, subject } from './set/image.ts';
export { run as selector } from './set/selector.ts';

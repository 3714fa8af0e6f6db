/** Commands that show what the cluster has. They are loaded together: files of their own would take more bytes to share code. */
export { run as diff } from './inspect/diff.ts';
export { run as logs } from './inspect/logs.ts';
export { run as top } from './inspect/top.ts';
export { run as tree } from './tree.ts';
export { run as why } from './why.ts';

/**
 * Any write of a kind that follows nodes or Pods of others may be refused, and its process may die between two writes. These kinds have one file: each
 * file loads and compiles all that they share once.
 */
import { describeRefusedWrites } from '../refused-writes/describe-refused-writes.testing.ts';
import { refusedBroadcastJobs } from './broadcastjob/refused-fixture.testing.ts';
import { refusedDaemonSets } from './daemonset/runs/refused-fixture.testing.ts';
import { refusedImagePullJobs } from './imagepulljob/refused-fixture.testing.ts';
import { refusedSidecarSets } from './sidecarset/runs/refused-fixture.testing.ts';

describeRefusedWrites('a DaemonSet', refusedDaemonSets);
describeRefusedWrites('a BroadcastJob', refusedBroadcastJobs);
describeRefusedWrites('an ImagePullJob', refusedImagePullJobs);
describeRefusedWrites('a SidecarSet', refusedSidecarSets);

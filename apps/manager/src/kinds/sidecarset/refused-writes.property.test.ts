/** Any write of the SidecarSet controller may be refused, and its process may die between two writes. */
import { describeRefusedWrites } from '../../refused-writes/describe-refused-writes.testing.ts';
import { refusedSidecarSets } from './refused-fixture.testing.ts';

describeRefusedWrites(refusedSidecarSets);

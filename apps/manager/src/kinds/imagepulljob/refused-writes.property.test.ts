/** Any write of the ImagePullJob controller may be refused, and its process may die between two writes. */
import { describeRefusedWrites } from '../../refused-writes/describe-refused-writes.testing.ts';
import { refusedImagePullJobs } from './refused-fixture.testing.ts';

describeRefusedWrites(refusedImagePullJobs);

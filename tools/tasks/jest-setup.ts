/**
 * A test that expects nothing fails: it would pass whatever happened. What a helper waits for and throws over is no expectation; the test says
 * what the world looks like once the wait is over.
 */
import { beforeEach, expect } from '@jest/globals';
import { unequalLists } from './equal-lists.ts';

expect.addEqualityTesters([unequalLists]);

beforeEach(() => expect.hasAssertions());

// Read by `@kruise/testing`, which the many files that start no program do not load.
if (process.env.KRUISE_TEST_LOGS !== undefined) process.env.KRUISE_TEST_FILE = expect.getState().testPath;

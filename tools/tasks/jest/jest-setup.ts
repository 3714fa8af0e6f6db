/**
 * A test without an expectation fails: it would pass whatever happened. What a helper waits for, and throws over, is no expectation. The test
 * states what holds after the wait.
 */
import { beforeEach, expect } from '@jest/globals';
import { unequalLists } from './equal-lists.ts';

expect.addEqualityTesters([unequalLists]);

beforeEach(() => expect.hasAssertions());

// Read by `@kruise/testing`, which the many files that start no program do not load.
if (process.env.KRUISE_TEST_LOGS !== undefined) process.env.KRUISE_TEST_FILE = expect.getState().testPath;

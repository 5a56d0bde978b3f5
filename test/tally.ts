import type { Reporter, TestModule } from 'vitest/node'

/** Ends the output with one plain line, `N passed, N failed`, for whoever reads a log by machine. */
export const tally: Reporter = {
  onTestRunEnd(modules, unhandledErrors) {
    const passed = modules.reduce((sum, module) => sum + count(module, 'passed'), 0)
    const failed = modules.reduce((sum, module) => sum + failures(module), unhandledErrors.length)
    console.log(`\n${passed} passed, ${failed} failed`)
  },
}

function count(module: TestModule, state: 'passed' | 'failed'): number {
  return [...module.children.allTests(state)].length
}

/** A file that breaks before or around its tests counts as one failure. */
function failures(module: TestModule): number {
  return count(module, 'failed') || (module.ok() ? 0 : 1)
}

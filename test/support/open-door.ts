import type { DesktopsDependencies } from '../../agent/capabilities/desktops.ts'

/** Lets every visitor in without a question, for tests of what follows. */
export const openDoor: Pick<DesktopsDependencies, 'admit' | 'refusalOfPreview'> = {
  admit: () => Promise.resolve({ refusal: undefined, by: 'rule', person: '' }),
  refusalOfPreview: () => undefined,
}

import { UserError } from '../../../base/errors.ts'
import { SharedState } from '../../desktop/switches.ts'
import { common, reasonOf } from '../library.ts'
import { isElevated } from '../users.ts'
import { winuser } from '../win32/winuser.ts'

/**
 * Blocks the person's input in this session of Windows. Windows ends the block by itself when this process ends, and
 * when the person presses Ctrl+Alt+Del; only the thread that blocks can still inject keys, and Node has one.
 */
export const inputBlock = new SharedState(async (isBlocked) => {
  const [{ lastError }, { blockInput }] = await Promise.all([common(), winuser()])
  if (!blockInput(isBlocked)) {
    throw new UserError(`Windows does not ${isBlocked ? 'block input' : 'end the block'}: ${reasonOf(lastError())}.`)
  }
})

/** Reason why this process cannot block input. */
export const inputBlockObstacle = async (): Promise<string | undefined> =>
  (await isElevated())
    ? undefined
    : 'Windows lets only programs with the rights of an administrator block input, and this session has none.'

import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { visibleName } from '../../text/visible-name.ts'
import * as t from '../../texts.ts'
import classes from './terminal.module.css'
import type { TerminalSharing } from './use-terminal-shares.ts'

const texts = t.terminal.sharing

/** Shows the reason of a failure. */
export const orToast = (work: Promise<void>) =>
  void work.catch((error: unknown) => notifications.show({ message: (error as Error).message }))

/** Lines over a terminal: who sees it, with what its owner can do about that. */
export const GuestsLine = ({ sharing }: { sharing: TerminalSharing }) =>
  sharing.shares
    .filter(({ isHere }) => isHere)
    .map((share) => {
      const name = visibleName(share.forName)
      return (
        <div key={share.id} className={classes.guest} role="status">
          <span>{share.canType ? texts.typing(name) : texts.watching(name)}</span>
          <Button
            size="compact-sm"
            variant="default"
            aria-label={share.canType ? texts.stopTypingOf(name) : texts.letTypeOf(name)}
            onClick={() => orToast(sharing.letType(share, !share.canType))}
          >
            {share.canType ? texts.stopTyping : texts.letType}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            aria-label={texts.endOf(name)}
            onClick={() => orToast(sharing.end(share))}
          >
            {texts.end}
          </Button>
        </div>
      )
    })

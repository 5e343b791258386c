import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import type { NewRecoveryKeyDto } from '../../../shared/dtos/backup.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { SecretDialog } from '../../components/secret-dialog.tsx'
import { en as t } from '../../strings/en.ts'
import classes from './backup.module.css'

/** Two lines of four groups. */
const inLines = (recoveryKey: string) => {
  const groups = recoveryKey.split('-')
  return [groups.slice(0, 4), groups.slice(4)].map((line) => line.join('-')).join('\n')
}

/** Prints the key alone, in a frame of its own. */
function print({ recoveryKey, fingerprint }: NewRecoveryKeyDto): void {
  const frame = document.createElement('iframe')
  frame.style.display = 'none'
  document.body.append(frame)
  const page = frame.contentDocument
  if (page && frame.contentWindow) {
    const title = page.createElement('h1')
    title.textContent = t.backup.printed(location.host)
    const key = page.createElement('pre')
    key.textContent = `${inLines(recoveryKey)}\n\n${t.backup.fingerprint}: ${fingerprint}`
    page.body.append(title, key)
    frame.contentWindow.addEventListener('afterprint', () => frame.remove())
    frame.contentWindow.print()
  }
}

interface ShownKeyProps {
  made: NewRecoveryKeyDto | undefined
  onClose: () => void
}

/** A new recovery key, shown once. */
export function ShownRecoveryKey({ made, onClose }: ShownKeyProps) {
  const [saved, setSaved] = useState<string>()
  const keep = () => setSaved(made?.recoveryKey)
  return (
    <SecretDialog
      isOpen={made !== undefined}
      title={t.backup.shown}
      hint={t.backup.shownHint}
      isSaved={made !== undefined && saved === made.recoveryKey}
      onClose={onClose}
    >
      {made && (
        <div>
          <pre className={classes.key} aria-label={t.backup.shown}>
            {inLines(made.recoveryKey)}
          </pre>
          <Group gap="xs">
            <CopyButton text={made.recoveryKey} label={t.backup.copy} onCopied={keep} />
            <Button
              variant="default"
              onClick={() => {
                print(made)
                keep()
              }}
            >
              {t.backup.print}
            </Button>
            <span className="small muted">
              {t.backup.fingerprint}: {made.fingerprint}
            </span>
          </Group>
        </div>
      )}
    </SecretDialog>
  )
}

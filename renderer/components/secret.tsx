import { Alert } from '@mantine/core'
import { useState } from 'react'
import { CopyButton } from './copy-button.tsx'
import { SecretDialog } from './secret-dialog.tsx'
import command from './command.module.css'

interface SecretProps {
  title: string
  hint: string
  /** Name of the secret for screen readers. */
  label: string
  copy: string
  /** The secret; undefined while there is none. */
  value: string | undefined
  notice?: string | undefined
  onClose: () => void
}

/** A password, link or token that is shown once. */
export function Secret({ title, hint, label, copy, value, notice, onClose }: SecretProps) {
  const [saved, setSaved] = useState<string>()
  return (
    <SecretDialog
      isOpen={value !== undefined}
      title={title}
      hint={hint}
      isSaved={saved !== undefined && saved === value}
      onClose={onClose}
    >
      {value !== undefined && (
        <div>
          {notice && <Alert color="warning">{notice}</Alert>}
          <pre className={command.command} aria-label={label}>
            {value}
          </pre>
          <CopyButton text={value} label={copy} onCopied={() => setSaved(value)} />
        </div>
      )}
    </SecretDialog>
  )
}

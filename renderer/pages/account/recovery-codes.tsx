import { Button, Group } from '@mantine/core'
import { IconDownload, IconPrinter } from '@tabler/icons-react'
import { useState } from 'react'
import { CopyButton } from '../../components/copy-button.tsx'
import { memoryFile } from '../../features/transfers/saved-file.ts'
import { en as t } from '../../strings/en.ts'
import classes from './account-page.module.css'
import { SecretDialog } from '../../components/secret-dialog.tsx'

async function download(text: string) {
  const file = await memoryFile(t.account.codesFile).createWritable()
  await file.write(new TextEncoder().encode(text))
  await file.close()
}

function Codes({ codes, onSaved }: { codes: readonly string[]; onSaved: () => void }) {
  const text = `${t.account.codesHead(window.location.host)}\n\n${codes.join('\n')}\n`
  const save = (work: () => unknown) => () => {
    void work()
    onSaved()
  }
  return (
    <>
      <ul className={classes.codes} aria-label={t.account.recoveryCodes}>
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Group gap={8} className={classes.saving}>
        <CopyButton text={text} label={t.common.copy} onCopied={onSaved} />
        <Button variant="default" leftSection={<IconPrinter size={16} />} onClick={save(() => window.print())}>
          {t.account.print}
        </Button>
        <Button variant="default" leftSection={<IconDownload size={16} />} onClick={save(() => download(text))}>
          {t.account.download}
        </Button>
      </Group>
    </>
  )
}

/** Ten recovery codes, shown once. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[] | undefined; onClose: () => void }) {
  const [saved, setSaved] = useState<readonly string[]>()
  return (
    <SecretDialog
      isOpen={codes !== undefined}
      title={t.account.recoveryCodes}
      hint={t.account.codesHint}
      isSaved={saved !== undefined && saved === codes}
      onClose={onClose}
    >
      {codes && <Codes codes={codes} onSaved={() => setSaved(codes)} />}
    </SecretDialog>
  )
}

import { Button } from '@mantine/core'
import { IconFileDownload } from '@tabler/icons-react'
import { installScript, silentCommand, type InstallCommand } from '../../../shared/install-command.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { en as t } from '../../strings/en.ts'

/** Saves a text as a file of the browser. */
function saveText(fileName: string, text: string) {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = url
  link.download = fileName
  link.click()
  URL.revokeObjectURL(url)
}

/** The install command for many computers: as a script file and, for Windows, as a silent command line. */
export function RollOut({ command, onCopied }: { command: InstallCommand; onCopied: () => void }) {
  const silent = silentCommand(command)
  return (
    <>
      <Button
        variant="default"
        title={t.deploy.scriptHint}
        leftSection={<IconFileDownload size={15} />}
        onClick={() => {
          const { fileName, text } = installScript(command)
          saveText(fileName, text)
          onCopied()
        }}
      >
        {t.deploy.script}
      </Button>
      {silent && (
        <span title={t.deploy.silentHint}>
          <CopyButton text={silent} label={t.deploy.silent} onCopied={onCopied} />
        </span>
      )}
    </>
  )
}

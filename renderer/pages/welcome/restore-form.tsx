import { Anchor, Button, FileInput, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState, type SubmitEvent } from 'react'
import { ApiError } from '../../../shared/contract/client.ts'
import { api } from '../../api/http.ts'
import { uploadRestore } from '../../api/restore-upload.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { Restarting } from '../../components/restarting.tsx'
import { en as t } from '../../strings/en.ts'

const codeProblem = (error: unknown) => (error instanceof ApiError ? error.problem?.errors?.['setupCode'] : undefined)

/** Restores a backup on a server without accounts: an uploaded file, or one on the computer of the server. */
export function RestoreForm({ isRemote, onBack }: { isRemote: boolean; onBack?: () => void }) {
  const [file, setFile] = useState<File | null>(null)
  const [path, setPath] = useState('')
  const [recoveryKey, setRecoveryKey] = useState('')
  const [setupCode, setSetupCode] = useState('')
  const [isCodeAsked, setIsCodeAsked] = useState(isRemote)
  const restore = useMutation({
    mutationFn: () =>
      file
        ? uploadRestore(file, recoveryKey, setupCode.trim())
        : api.firstRun.restoreFirst({
            body: { path: path.trim(), recoveryKey, setupCode: setupCode.trim() || undefined },
          }),
    onError: (error) => {
      if (codeProblem(error)) {
        setIsCodeAsked(true)
      }
    },
  })
  if (restore.data) {
    return <Restarting restored={restore.data} />
  }
  const handleSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    restore.mutate()
  }
  return (
    <form onSubmit={handleSubmit}>
      <Stack>
        <FileInput
          label={t.backup.upload}
          description={t.backup.uploadHint}
          placeholder={t.backup.upload}
          accept=".farhand-backup"
          clearable
          value={file}
          onChange={setFile}
        />
        <TextInput
          label={t.backup.path}
          description={t.backup.pathHint}
          spellCheck={false}
          maxLength={4000}
          disabled={file !== null}
          value={path}
          onChange={(event) => setPath(event.currentTarget.value)}
        />
        <TextInput
          label={t.backup.proveLabel}
          description={t.backup.proveHint}
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          value={recoveryKey}
          onChange={(event) => setRecoveryKey(event.currentTarget.value)}
        />
        {isCodeAsked && (
          <TextInput
            label={t.welcome.setupCode}
            description={t.welcome.setupCodeHint}
            placeholder="ABCDE-23456"
            autoComplete="off"
            spellCheck={false}
            maxLength={40}
            error={codeProblem(restore.error) && (setupCode ? t.welcome.wrongSetupCode : t.welcome.missingSetupCode)}
            value={setupCode}
            onChange={(event) => setSetupCode(event.currentTarget.value)}
          />
        )}
        {restore.error && !codeProblem(restore.error) && <ProblemAlert error={restore.error} />}
        <Button
          type="submit"
          loading={restore.isPending}
          disabled={recoveryKey.trim() === '' || (file === null && path.trim() === '')}
          fullWidth
        >
          {t.backup.firstRunSubmit}
        </Button>
        <span className="small muted" role="status">
          {restore.isPending && t.backup.restoring}
        </span>
        {onBack && (
          <Anchor component="button" type="button" onClick={onBack}>
            {t.backup.back}
          </Anchor>
        )}
      </Stack>
    </form>
  )
}

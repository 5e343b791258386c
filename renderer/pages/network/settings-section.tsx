import { Button, Group, Modal, NumberInput, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { HostName, type NetworkDto } from '../../../shared/dtos/network.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import * as t from '../../texts.ts'
import { fixedAddresses, useSettingsChange } from './use-network.ts'
import { submitHandler } from '../../components/request-form.tsx'

const linesOf = (text: string) =>
  text
    .split(/[\s,;]+/)
    .map((line) => line.trim().toLowerCase())
    .filter((line) => line !== '')

/** Edits of port and names. They survive server updates until saved or discarded. */
function useSettingsForm(network: NetworkDto) {
  const { settings } = network
  const [port, setPort] = useState<number | string>()
  const [names, setNames] = useState<string>()
  const discard = () => {
    setPort(undefined)
    setNames(undefined)
    setWrongNames([])
  }
  // Keeps input typed while the change was being saved.
  const save = useSettingsChange((saved) => {
    setPort((typed) => (Number(typed) === saved.port ? undefined : typed))
    setNames((typed) => (linesOf(typed ?? '').join() === saved.names?.join() ? undefined : typed))
  })
  const isChanged =
    (port !== undefined && port !== settings.port) ||
    (names !== undefined && linesOf(names).join('\n') !== settings.names.join('\n'))
  const [isAsking, setIsAsking] = useState(false)
  const [wrongNames, setWrongNames] = useState<readonly string[]>([])
  const submit = () => {
    setIsAsking(false)
    save.mutate({
      ...(port !== undefined && { port: Number(port) }),
      ...(names !== undefined && { names: linesOf(names) }),
    })
  }
  const handleSubmit = submitHandler(() => {
    const wrong = linesOf(names ?? '').filter((name) => !HostName.safeParse(name).success)
    setWrongNames(wrong)
    if (wrong.length > 0) {
      return
    }
    const isMoving = Number(port ?? settings.port) !== settings.port
    if (isMoving && network.connectedDevices > 0) {
      setIsAsking(true)
    } else {
      submit()
    }
  })
  return {
    port: port ?? settings.port,
    setPort,
    names: names ?? settings.names.join('\n'),
    setNames(text: string) {
      setNames(text)
      setWrongNames([])
    },
    wrongNames,
    save,
    isChanged,
    isAsking,
    setIsAsking,
    discard,
    submit,
    handleSubmit,
  }
}

/** Port and names of this server. */
export function SettingsSection({ network }: { network: NetworkDto }) {
  const fixedBy = fixedAddresses(network)
  const { save, isChanged, isAsking, setIsAsking, submit, ...form } = useSettingsForm(network)
  return (
    <form onSubmit={form.handleSubmit}>
      <Group gap="12px 24px" align="flex-start">
        {!fixedBy && (
          <NumberInput
            flex="0 0 140px"
            label={t.network.port}
            description={t.network.portHint}
            min={1}
            max={65535}
            allowDecimal={false}
            hideControls
            value={form.port}
            onChange={form.setPort}
          />
        )}
        <Textarea
          flex="1 1 280px"
          label={t.network.names}
          description={t.network.namesHint}
          autosize
          minRows={2}
          maxRows={6}
          spellCheck={false}
          value={form.names}
          error={form.wrongNames.length > 0 && t.network.wrongNames(form.wrongNames)}
          onChange={(event) => form.setNames(event.currentTarget.value)}
        />
      </Group>
      {fixedBy && (
        <p className="small muted" style={{ marginTop: 12 }}>
          {t.network.portFixed(fixedBy.setting, t.network.sources[fixedBy.source])}
        </p>
      )}
      {save.error && (
        <div style={{ marginTop: 12 }}>
          <ProblemAlert error={save.error} />
        </div>
      )}
      <Group gap={8} mt={12}>
        <Button type="submit" disabled={!isChanged} loading={save.isPending}>
          {t.network.save}
        </Button>
        {isChanged && (
          <Button variant="default" onClick={form.discard}>
            {t.network.discard}
          </Button>
        )}
      </Group>
      <Modal opened={isAsking} onClose={() => setIsAsking(false)} title={t.network.portTitle}>
        <Stack>
          <Text>{t.network.portChange(network.connectedDevices)}</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setIsAsking(false)} data-autofocus>
              {t.common.cancel}
            </Button>
            <Button onClick={submit}>{t.network.portConfirm}</Button>
          </Group>
        </Stack>
      </Modal>
    </form>
  )
}

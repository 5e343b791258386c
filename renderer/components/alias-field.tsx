import { TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState, type KeyboardEvent } from 'react'
import type { DeviceResponseDto } from '../../shared/dtos/device.ts'
import { api } from '../api/http.ts'
import { writeDevices } from '../api/device-updates.ts'
import * as t from '../texts.ts'
import { problemText } from './problem-alert.tsx'

/** Edits the alias in place: Enter or blur saves, Esc cancels, an empty alias is removed. */
export function AliasField({ device, onDone }: { device: DeviceResponseDto; onDone: () => void }) {
  const [text, setText] = useState(device.alias ?? '')
  const save = useMutation({
    mutationFn: (alias: string | null) => api.devices.setAlias({ params: { deviceId: device.id }, body: { alias } }),
    onSuccess: (saved) => {
      writeDevices(new Map([[saved.id, saved]]))
      onDone()
    },
  })
  const handleSave = () => {
    const alias = text.trim() || null
    if (alias === device.alias) {
      onDone()
    } else if (!save.isPending) {
      save.mutate(alias)
    }
  }
  const handleKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation()
    if (event.key === 'Enter') {
      // The button that gets the focus back would be pressed by the same key.
      event.preventDefault()
      handleSave()
    } else if (event.key === 'Escape') {
      onDone()
    }
  }
  return (
    <TextInput
      size="xs"
      aria-label={t.device.alias}
      title={t.device.aliasHint}
      placeholder={t.device.alias}
      maxLength={100}
      autoFocus
      value={text}
      error={save.error && problemText(save.error)}
      onChange={(event) => setText(event.currentTarget.value)}
      onKeyDown={handleKeyDown}
      onClick={(event) => event.stopPropagation()}
      onFocus={(event) => event.currentTarget.select()}
      onBlur={handleSave}
    />
  )
}

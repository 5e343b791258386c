import { Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { textProps } from '../../components/field-props.ts'
import type { UserGroupDetailResponseDto } from '../../../shared/dtos/user-group.ts'
import { api } from '../../api/http.ts'
import { reloadPeople } from '../../api/people-queries.ts'
import { DialogForm } from '../../components/list-kit/dialogs.tsx'
import * as t from '../../texts.ts'

interface GroupFormProps {
  /** The group to change; none makes a new one. */
  group?: UserGroupDetailResponseDto
  onSaved: (group: UserGroupDetailResponseDto) => void
  onCancel: () => void
}

export function GroupForm({ group, onSaved, onCancel }: GroupFormProps) {
  const [name, setName] = useState(group?.name ?? '')
  const [description, setDescription] = useState(group?.description ?? '')
  const save = async () => {
    const body = { name, description: description.trim() || null }
    const saved = group
      ? await api.userGroups.update({ params: { userGroupId: group.id }, body })
      : await api.userGroups.create({ body })
    await reloadPeople()
    return saved
  }
  return (
    <DialogForm
      submit={group ? t.userGroups.save : t.userGroups.createSubmit}
      canSubmit={name.trim() !== ''}
      save={save}
      onSaved={onSaved}
      onCancel={onCancel}
    >
      <TextInput label={t.userGroups.name} maxLength={100} data-autofocus {...textProps(name, setName)} />
      <Textarea
        label={t.userGroups.description}
        maxLength={500}
        autosize
        minRows={2}
        maxRows={6}
        {...textProps(description, setDescription)}
      />
    </DialogForm>
  )
}

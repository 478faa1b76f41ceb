/** What a bar for unsaved changes is told; the store admin brings its own, the standalone pages have ours. */
export type SaveBarProps = {
  isOpen: boolean;
  isBusy: boolean;
  words: { save: string; discard: string; unsaved: string };
  onSave(): void;
  onDiscard(): void;
};

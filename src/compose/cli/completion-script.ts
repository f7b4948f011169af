/** The completion scripts of the shells. On each Tab they call `plumbline compose __complete`. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# plumbline compose completion bash > /etc/bash_completion.d/plumbline
_plumbline() {
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=(compose); return; fi
  [ "\${COMP_WORDS[1]}" = compose ] || return
  # Not compgen -W: that would run what stands in a name as a command.
  mapfile -t COMPREPLY < <("\${COMP_WORDS[0]}" compose __complete -- "\${COMP_WORDS[@]:2:COMP_CWORD-1}" 2>/dev/null)
}
complete -o default -F _plumbline plumbline
`,
  zsh: `#compdef plumbline
# plumbline compose completion zsh > "\${fpath[1]}/_plumbline"
_plumbline() {
  if (( CURRENT == 2 )); then compadd compose; return; fi
  [[ $words[2] == compose ]] || return
  local -a found
  found=("\${(@f)$($words[1] compose __complete -- "\${(@)words[3,CURRENT]}" 2>/dev/null)}")
  compadd -a found || _files
}
compdef _plumbline plumbline
`,
  fish: `# plumbline compose completion fish > ~/.config/fish/completions/plumbline.fish
function __plumbline_compose
  set -l words (commandline -opc) (commandline -ct)
  $words[1] compose __complete -- $words[3..-1] 2>/dev/null
end
complete -c plumbline -n '__fish_is_nth_token 1' -a compose
complete -c plumbline -n '__fish_seen_subcommand_from compose' -a '(__plumbline_compose)'
`,
};

export function completionScript(shell: Shell): string {
  return SCRIPTS[shell];
}

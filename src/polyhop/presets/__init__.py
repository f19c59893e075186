"""The configurations of published experiments: settings in files of TOML, and nothing else."""
